//! The clock, as a value the program builds once and hands down.
//! Border: the only place that asks for the time of day.

use jiff::tz::TimeZone;

use crate::base::time::Timestamp;
use crate::system::env::Environment;

/// For tests only: an RFC 3339 time that the clock then always shows, for example
/// `MEMSYNC_TEST_CLOCK=2026-01-02T03:04:05Z`.
pub const TEST_CLOCK_VARIABLE: &str = "MEMSYNC_TEST_CLOCK";

/// The zone of a Unix system, by convention; elsewhere there is no such file.
const LOCAL_ZONE: &str = "/etc/localtime";

/// The longest zones have a few thousand bytes.
const ZONE_BYTES_MAX: u64 = 100_000;

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
                let now = jiff::Timestamp::now();
                let offset = local_zone().to_offset(now).seconds();
                Timestamp { seconds: now.as_second(), offset }
            }
        }
    }
}

/// The local time zone, from the system's own file unless `TZ` names one. The name of the zone is not
/// needed, and finding it lists the whole zone database, which takes as long as a `status`.
#[expect(clippy::disallowed_methods, reason = "the zone of this process and its file")]
fn local_zone() -> TimeZone {
    let from_file = || {
        let stat = std::fs::metadata(LOCAL_ZONE).ok()?;
        let data = (stat.is_file() && stat.len() <= ZONE_BYTES_MAX)
            .then(|| std::fs::read(LOCAL_ZONE).ok())
            .flatten()?;
        TimeZone::tzif("local", &data).ok()
    };
    let named = std::env::var_os("TZ").is_some();
    (!named).then(from_file).flatten().unwrap_or_else(TimeZone::system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_local_zone_is_the_one_of_the_system() {
        let now = jiff::Timestamp::now();
        assert_eq!(local_zone().to_offset(now), TimeZone::system().to_offset(now));
    }

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
