/// A Range header of one range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Range {
    /// `a-b`, the end exclusive.
    Between(u64, u64),
    /// `a-`
    From(u64),
    /// `-n`
    Last(u64),
}

impl Range {
    /// None for what a server shall or may ignore: other units, several ranges,
    /// nonsense.
    pub(crate) fn parse(header: &str) -> Option<Self> {
        let (unit, ranges) = header.split_once('=')?;
        if !unit.trim().eq_ignore_ascii_case("bytes") {
            return None;
        }
        let (first, last) = ranges.trim().split_once('-')?;
        match (first, last) {
            ("", last) => Some(Self::Last(number(last)?)),
            (first, "") => Some(Self::From(number(first)?)),
            (first, last) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then(|| Self::Between(first, last.saturating_add(1)))
            }
        }
    }

    /// The range as asked, of an object of `size` bytes if there is one.
    pub(crate) fn asked(self, size: Option<u64>) -> Option<(u64, u64)> {
        match self {
            Self::Between(start, end) => Some((start, end)),
            Self::From(start) => size.map(|size| (start, size.max(start))),
            Self::Last(count) => size.map(|size| (size.saturating_sub(count), size)),
        }
    }

    /// The bytes that exist of it, None if there are none.
    pub(crate) fn within(self, size: u64) -> Option<(u64, u64)> {
        let (start, end) = self.asked(Some(size))?;
        let end = end.min(size);
        (start < end).then_some((start, end))
    }
}

/// Digits only; what is too large for 64 bits is past the end of anything.
fn number(digits: &str) -> Option<u64> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_ranges_are_understood() {
        let within = |header| Range::parse(header).and_then(|range| range.within(100));
        assert_eq!(within("bytes=0-0"), Some((0, 1)));
        assert_eq!(within("Bytes = 10-19"), None.or(Some((10, 20))));
        assert_eq!(within("bytes=90-200"), Some((90, 100)));
        assert_eq!(within("bytes=90-99999999999999999999999"), Some((90, 100)));
        assert_eq!(within("bytes=90-"), Some((90, 100)));
        assert_eq!(within("bytes=-10"), Some((90, 100)));
        assert_eq!(within("bytes=-200"), Some((0, 100)));
    }

    #[test]
    fn ranges_outside_the_object_have_no_bytes() {
        for header in ["bytes=100-", "bytes=100-200", "bytes=-0"] {
            let range = Range::parse(header);
            assert!(range.is_some_and(|range| range.within(100).is_none()), "{header}");
        }
        assert_eq!(Range::From(0).within(0), None);
        assert_eq!(Range::Last(5).within(0), None);
    }

    #[test]
    fn what_is_not_one_range_of_bytes_is_ignored() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=5-4",
            "bytes=0-1,3-4",
            "lines=0-1",
            "bytes=+1-2",
        ] {
            assert_eq!(Range::parse(header), None, "{header}");
        }
    }
}
