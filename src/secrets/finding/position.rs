//! Byte offsets as lines and columns, in one walk over a text.
//! Border: counting only; which offsets matter is for the scanner.

use crate::base::text::Position;

/// Turns increasing byte offsets into positions in one walk over the text.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a [u8],
    /// Everything before this was walked.
    at: usize,
    place: Position,
}

impl<'a> Lines<'a> {
    /// Starts at the beginning of a text.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, place: Position { line: 1, column: 1 } }
    }

    /// The position of an offset. One before the last is walked to from the beginning.
    pub(crate) fn position(&mut self, offset: usize) -> Position {
        if offset < self.at {
            *self = Self::new(self.text);
        }
        while let Some(next) = self.text[self.at..offset].iter().position(|b| *b == b'\n') {
            self.at += next + 1;
            self.place = Position { line: self.place.line + 1, column: 1 };
        }
        // Characters are counted as bytes that do not continue one, so invalid UTF-8 counts too.
        let rest = self.text[self.at..offset].iter();
        self.place.column += rest.filter(|b| **b & 0xC0 != 0x80).count();
        self.at = offset;
        self.place
    }
}
