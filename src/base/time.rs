//! Moments as values: seconds since the epoch with the offset they were written in.
//! Border: never reads a clock; `system::clock` does.

use std::fmt::{self, Display};

use jiff::tz::{Offset, TimeZone};
use serde::{Deserialize, Serialize};

/// A moment with the time zone offset it was recorded in, as git keeps it.
///
/// Orders by moment; the offset only breaks ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Offset from UTC in seconds.
    pub offset: i32,
}

impl Timestamp {
    /// A moment recorded in UTC.
    pub const fn utc(seconds: i64) -> Self {
        Self { seconds, offset: 0 }
    }

    /// The date in UTC, `2026-03-04`; a moment outside the years of dates as a number.
    pub fn date(self) -> String {
        match jiff::Timestamp::from_second(self.seconds) {
            Ok(moment) => moment.to_zoned(TimeZone::UTC).date().to_string(),
            Err(_) => format!("@{}", self.seconds),
        }
    }

    /// Reads an ISO 8601 date or date-time as users and agents write them; a date alone is midnight UTC.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(moment) = text.parse::<jiff::Timestamp>() {
            return Some(Self::utc(moment.as_second()));
        }
        let local = text.parse::<jiff::civil::DateTime>().ok()?;
        Some(Self::utc(local.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second()))
    }
}

impl Display for Timestamp {
    /// RFC 3339 with the recorded offset, to the second; a moment outside its years as a number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(moment) = jiff::Timestamp::from_second(self.seconds) else {
            return write!(f, "@{}", self.seconds);
        };
        let offset = Offset::from_seconds(self.offset).unwrap_or(Offset::UTC);
        if self.offset == 0 {
            return write!(f, "{moment}");
        }
        write!(f, "{}", moment.display_with_offset(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_dates_are_read_and_shown_as_rfc_3339() {
        let read = |text| Timestamp::parse(text).map(|t| t.to_string());
        assert_eq!(read("2026-08-15T18:58:28.638Z").as_deref(), Some("2026-08-15T18:58:28Z"));
        assert_eq!(read("2026-08-15T18:58:28+02:00").as_deref(), Some("2026-08-15T16:58:28Z"));
        assert_eq!(read("2026-08-15").as_deref(), Some("2026-08-15T00:00:00Z"));
        assert_eq!(read("yesterday"), None);
        assert_eq!(Timestamp::utc(i64::MAX).to_string(), "@9223372036854775807");
        let shown = Timestamp { seconds: 0, offset: 7200 }.to_string();
        assert_eq!(shown, "1970-01-01T02:00:00+02:00");
    }
}
