//! Bounds what comes in: a line that never ends is cut off before it fills the memory.
//! Border: bytes; what they mean is the protocol's business.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// The longest message that is read.
const LINE_BYTES_MAX: usize = 16_000_000;

/// A reader that ends with an error in the middle of a line that is too long.
pub(super) struct BoundedLines<R> {
    reader: R,
    in_line: usize,
}

impl<R> BoundedLines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, in_line: 0 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.reader).poll_read(context, buffer);
        let new = &buffer.filled()[before..];
        self.in_line = match new.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => new.len() - at - 1,
            None => self.in_line + new.len(),
        };
        if self.in_line > LINE_BYTES_MAX {
            let text = format!("a message is longer than {LINE_BYTES_MAX} bytes");
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, text)));
        }
        polled
    }
}
