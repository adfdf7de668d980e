//! The clock, as a value the program builds once and hands down.
//! Border: the only place that asks for the time of day.

use jiff::Zoned;

use crate::base::time::Timestamp;
use crate::system::env::Environment;

/// For tests only: an RFC 3339 time that the clock then always shows, for example
/// `MEMSYNC_TEST_CLOCK=2026-01-02T03:04:05Z`.
pub const TEST_CLOCK_VARIABLE: &str = "MEMSYNC_TEST_CLOCK";

/// Where the time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The system's clock and time zone.
    System,
    /// A clock that stands still, for tests.
    Fixed(Timestamp),
}

/// Why the clock could not be set up.
#[derive(Debug, thiserror::Error)]
#[error("`{TEST_CLOCK_VARIABLE}` is not an RFC 3339 time")]
pub struct ClockError;

impl Clock {
    /// The system's clock, unless a test stopped it.
    pub fn from_environment(env: &Environment) -> Result<Self, ClockError> {
        match env.text(TEST_CLOCK_VARIABLE) {
            None => Ok(Self::System),
            Some(text) => Timestamp::parse(text).map(Self::Fixed).ok_or(ClockError),
        }
    }

    /// The time now, with the local offset from UTC.
    pub fn now(&self) -> Timestamp {
        match self {
            Self::Fixed(moment) => *moment,
            Self::System => {
                let now = Zoned::now();
                Timestamp { seconds: now.timestamp().as_second(), offset: now.offset().seconds() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_can_stop_the_clock_and_a_typo_is_refused() {
        let set =
            |text: &str| Clock::from_environment(&Environment::of([(TEST_CLOCK_VARIABLE, text)]));
        let moment = Timestamp::utc(1_767_323_045);
        assert_eq!(set("2026-01-02T03:04:05Z").unwrap().now(), moment);
        assert!(set("soon").is_err());
        assert!(Clock::from_environment(&Environment::default()).unwrap().now() > moment);
    }
}
