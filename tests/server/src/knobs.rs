use std::time::Duration;

use hyper::StatusCode;
use hyper::header::{HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

use crate::schedule::scheduled;

/// What the query string of a URL asks for; `knobs.md` explains each.
#[derive(Debug, Default)]
pub(crate) struct Knobs {
    pub(crate) first: Option<u64>,
    pub(crate) after: u64,
    pub(crate) schedule: Option<u64>,

    pub(crate) reset: bool,
    pub(crate) error_in_flight: Option<u64>,
    pub(crate) forbid_header: Option<HeaderName>,
    pub(crate) require_header: Option<(HeaderName, String)>,
    pub(crate) auth: Option<String>,
    pub(crate) status: Option<StatusCode>,
    pub(crate) body: Option<String>,
    pub(crate) html: bool,
    pub(crate) retry_after: Option<HeaderValue>,
    pub(crate) hop: Option<u64>,
    pub(crate) redirect: Option<StatusCode>,
    pub(crate) to: Option<HeaderValue>,

    pub(crate) seed: u64,
    pub(crate) etag: Option<Etag>,
    pub(crate) etag_flip: bool,
    pub(crate) no_last_modified: bool,
    pub(crate) mtime: Option<Duration>,
    pub(crate) no_ranges: bool,

    pub(crate) shift: u64,
    pub(crate) lie: u64,
    pub(crate) short: u64,
    pub(crate) long: u64,
    pub(crate) total: Option<Total>,
    pub(crate) no_content_range: bool,

    pub(crate) delay: Duration,
    pub(crate) rate: Option<u64>,
    pub(crate) stall: Option<Stall>,
    pub(crate) cut: Option<u64>,
    pub(crate) gzip: bool,
    pub(crate) encoding: Option<HeaderValue>,
    pub(crate) chunked: bool,
    pub(crate) set_cookie: Option<HeaderValue>,
    pub(crate) close: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Etag {
    None,
    Weak,
    Value(HeaderValue),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Total {
    Size(u64),
    Star,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stall {
    Head,
    After(u64),
}

/// A knob with a value that makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("the knob {name}={value} is malformed: it takes {expected}")]
pub(crate) struct Malformed {
    name: String,
    value: String,
    expected: &'static str,
}

impl Knobs {
    pub(crate) fn parse(query: &str) -> Result<Self, Malformed> {
        let mut knobs = Self::default();
        for (name, value) in parameters(query) {
            knobs.set(&name, &value).map_err(|expected| Malformed { name, value, expected })?;
        }
        match knobs.redirect {
            Some(code) if knobs.to.is_none() && knobs.hop.is_none() => Err(Malformed {
                name: "redirect".into(),
                value: code.as_str().into(),
                expected: "a knob to or hop beside it",
            }),
            _ => Ok(knobs),
        }
    }

    /// The knobs as they are at the `turn`th request of their path and query.
    pub(crate) fn at(self, turn: u64) -> Self {
        let past = turn.saturating_sub(self.after);
        let is_due = past > 0 && self.first.is_none_or(|first| past <= first);
        match self.schedule {
            None if is_due => self,
            Some(schedule) if is_due => {
                let drawn = scheduled(schedule, turn).and_then(|query| Self::parse(&query).ok());
                Self { seed: self.seed, ..drawn.unwrap_or_default() }
            }
            _ => Self { seed: self.seed, ..Self::default() },
        }
    }

    /// Sets one knob, or says what it takes.
    fn set(&mut self, name: &str, value: &str) -> Result<(), &'static str> {
        match name {
            "first" => self.first = Some(number(value)?),
            "after" => self.after = number(value)?,
            "schedule" => self.schedule = Some(number(value)?),

            "reset" => self.reset = flag(value)?,
            "error_in_flight" => self.error_in_flight = Some(number(value)?),
            "forbid_header" => self.forbid_header = Some(header_name(value)?),
            "require_header" => {
                let (name, value) = value.split_once(':').ok_or("NAME:VALUE")?;
                self.require_header = Some((header_name(name.trim())?, value.trim().into()));
            }
            "auth" => self.auth = Some(value.into()),
            "status" => self.status = Some(status(value)?),
            "body" => self.body = Some(value.into()),
            "html" => self.html = flag(value)?,
            "retry_after" => {
                if number(value).is_err() && httpdate::parse_http_date(value).is_err() {
                    return Err("seconds or an HTTP date");
                }
                self.retry_after = Some(header_value(value)?);
            }
            "hop" => self.hop = Some(number(value)?),
            "redirect" => {
                let code = status(value).ok().filter(|code| REDIRECTS.contains(code));
                self.redirect = Some(code.ok_or("301, 302, 303, 307 or 308")?);
            }
            "to" => self.to = Some(header_value(value)?),

            "seed" => self.seed = number(value)?,
            "etag" => {
                self.etag = Some(match value {
                    "none" => Etag::None,
                    "weak" => Etag::Weak,
                    quoted if quoted.contains('"') => Etag::Value(header_value(quoted)?),
                    plain => Etag::Value(header_value(&format!("\"{plain}\""))?),
                })
            }
            "etag_flip" => self.etag_flip = flag(value)?,
            "last_modified" => self.no_last_modified = only(value, "none", "none")?,
            "mtime" => self.mtime = Some(mtime(value)?),
            "ranges" => self.no_ranges = only(value, "off", "off")?,

            "shift" => self.shift = number(value)?,
            "lie" => self.lie = number(value)?,
            "short" => self.short = number(value)?,
            "long" => self.long = number(value)?,
            "total" => {
                self.total = Some(match value {
                    "star" => Total::Star,
                    size => Total::Size(number(size).map_err(|_| "a whole number or star")?),
                })
            }
            "content_range" => self.no_content_range = only(value, "none", "none")?,

            "delay" => self.delay = Duration::from_millis(number(value)?),
            "rate" => {
                let rate = number(value).ok().filter(|rate| *rate > 0);
                self.rate = Some(rate.ok_or("a whole number of at least 1")?);
            }
            "stall" => {
                self.stall = Some(match value {
                    "head" => Stall::Head,
                    count => Stall::After(number(count).map_err(|_| "a whole number or head")?),
                })
            }
            "cut" => self.cut = Some(number(value)?),
            "gzip" => self.gzip = flag(value)?,
            "encoding" => self.encoding = Some(header_value(value)?),
            "chunked" => self.chunked = flag(value)?,
            "set_cookie" => self.set_cookie = Some(header_value(value)?),
            "close" => self.close = flag(value)?,
            _ => {}
        }
        Ok(())
    }
}

const REDIRECTS: [StatusCode; 5] = [
    StatusCode::MOVED_PERMANENTLY,
    StatusCode::FOUND,
    StatusCode::SEE_OTHER,
    StatusCode::TEMPORARY_REDIRECT,
    StatusCode::PERMANENT_REDIRECT,
];

/// The names and values of a query string, decoded.
pub(crate) fn parameters(query: &str) -> impl Iterator<Item = (String, String)> {
    let decode = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
    query.split('&').filter(|pair| !pair.is_empty()).map(move |pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    })
}

fn number(value: &str) -> Result<u64, &'static str> {
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    value.parse().ok().filter(|_| digits).ok_or("a whole number")
}

fn flag(value: &str) -> Result<bool, &'static str> {
    match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err("0 or 1"),
    }
}

fn only(value: &str, word: &str, expected: &'static str) -> Result<bool, &'static str> {
    (value == word).then_some(true).ok_or(expected)
}

/// Informational statuses are no answers.
fn status(value: &str) -> Result<StatusCode, &'static str> {
    let code = StatusCode::from_bytes(value.as_bytes()).ok();
    code.filter(|code| (200..600).contains(&code.as_u16())).ok_or("a status from 200 to 599")
}

/// No later than what can be written as an HTTP date.
fn mtime(value: &str) -> Result<Duration, &'static str> {
    let seconds = number(value).ok().filter(|seconds| *seconds < 253_402_300_800);
    seconds.map(Duration::from_secs).ok_or("seconds since 1970, before the year 10000")
}

fn header_name(value: &str) -> Result<HeaderName, &'static str> {
    value.parse().map_err(|_| "the name of a header")
}

fn header_value(value: &str) -> Result<HeaderValue, &'static str> {
    value.parse().map_err(|_| "what can be the value of a header")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn first_and_after_choose_the_requests() {
        let acts = |query, turn| Knobs::parse(query).is_ok_and(|knobs| knobs.at(turn).reset);
        let turns = |query| (1..=6).filter(|turn| acts(query, *turn)).collect::<Vec<u64>>();
        assert_eq!(turns("reset=1"), [1, 2, 3, 4, 5, 6]);
        assert_eq!(turns("reset=1&first=2"), [1, 2]);
        assert_eq!(turns("reset=1&after=4"), [5, 6]);
        assert_eq!(turns("reset=1&after=2&first=3"), [3, 4, 5]);
        assert_eq!(turns("reset=1&first=0"), [0; 0]);
    }

    #[test]
    fn the_seed_stays_when_the_others_do_not_act() {
        assert!(Knobs::parse("seed=7&first=0").is_ok_and(|knobs| knobs.at(1).seed == 7));
    }

    #[test]
    fn a_schedule_chooses_the_knobs_of_each_request_and_keeps_the_bytes() {
        let turns = |query: &str| -> Vec<Knobs> {
            (1..=40).filter_map(|turn| Some(Knobs::parse(query).ok()?.at(turn))).collect()
        };
        let scheduled = turns("schedule=5&seed=3");
        assert!(scheduled.len() == 40 && scheduled.iter().all(|knobs| knobs.seed == 3));
        assert!(scheduled.iter().any(|knobs| knobs.cut.is_some()));
        assert!(scheduled.iter().any(|knobs| knobs.status.is_some()));
        assert!(turns("schedule=5&first=0").iter().all(|knobs| knobs.cut.is_none() && !knobs.reset));
    }

    #[test]
    fn every_knob_is_in_the_table_and_every_row_is_a_knob() {
        let rows = crate::KNOBS.lines().filter_map(|line| line.strip_prefix("| `"));
        let names = rows.filter_map(|row| row.split_once('=').map(|(name, _)| name));
        let documented: HashSet<&str> = names.collect();
        for name in &documented {
            // Nearly every knob refuses this; unknown ones take anything.
            let free = ["auth", "body"].contains(name);
            assert!(free || Knobs::default().set(name, "\u{1}").is_err(), "{name}");
        }
        let source = include_str!("knobs.rs").split("fn set").nth(1).unwrap_or_default();
        let source = source.split("_ => {}").next().unwrap_or_default();
        for line in source.lines().filter_map(|line| line.strip_prefix("            \"")) {
            let name = line.split('"').next().unwrap_or_default();
            assert!(documented.contains(name), "{name} is not in knobs.md");
        }
    }
}
