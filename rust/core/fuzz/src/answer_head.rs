use std::time::{Duration, SystemTime};

use crate::floor::range::ByteRange;
use crate::transport::response::{ContentRange, Expected, Head, check, is_markup};

/// Judges what is made of header lines: as a file's first answer, and as a later one of a file that is known.
///
/// # Panics
/// Where an answer is accepted that does not begin with what was asked for.
pub fn answer_head(data: &[u8]) {
    let head = |lines: &[u8]| {
        let mut head = Head::default();
        lines.split(|byte| *byte == b'\n').for_each(|line| head.line(line));
        head
    };
    let (first, second) = data.split_at(data.len() / 2);
    let (whole, first, second) = (head(data), head(first), head(second));
    for now in [SystemTime::UNIX_EPOCH, SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000)] {
        whole.retry_after(now);
    }
    is_markup(whole.content_type.as_deref());
    ContentRange::parse(&String::from_utf8_lossy(data));
    let partial = partial(data);
    for asked in [ByteRange::new(0, 512_000), ByteRange::new(100, 200)] {
        let identity = judge(asked, &first, None);
        judge(asked, &second, identity.as_ref());
        judge(asked, &whole, identity.as_ref());
        judge(asked, &partial, None);
    }
}

/// A 206 whose fields have the lines of `data` as values: the way to those is long otherwise.
fn partial(data: &[u8]) -> Head {
    let mut head = Head::default();
    head.line(b"HTTP/1.1 206 Partial Content");
    let names: [&[u8]; 4] = [b"Content-Range: bytes ", b"Content-Length: ", b"ETag: ", b"Content-Encoding: "];
    for (name, value) in names.iter().zip(data.split(|byte| *byte == b'\n')) {
        head.line(&[*name, value].concat());
    }
    head
}

fn judge(
    range: ByteRange,
    head: &Head,
    identity: Option<&crate::transport::response::Identity>,
) -> Option<crate::transport::response::Identity> {
    let expected = Expected { range, identity, max_whole_bytes: 1 << 24 };
    let accepted = check(&expected, head).ok()?;
    let total = accepted.identity.total;
    assert!(identity.is_none_or(|identity| identity.total == total));
    assert!(accepted.range.end() <= total);
    match head.status {
        206 => {
            assert_eq!((accepted.range.start(), accepted.skipped_bytes), (range.start(), 0));
            assert!(!accepted.range.is_empty() && accepted.range.end() <= range.end());
        }
        200 => assert!(total <= 1 << 24 && accepted.skipped_bytes == accepted.range.start()),
        status => panic!("accepted HTTP {status}"),
    }
    Some(accepted.identity)
}
