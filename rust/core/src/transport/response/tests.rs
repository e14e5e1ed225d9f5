use super::*;
use proptest::prelude::*;

const ASKED: ByteRange = ByteRange::new(100, 200);

fn good() -> Head {
    Head {
        status: 206,
        content_range: Some("bytes 100-199/1000".to_owned()),
        content_length: Some("100".to_owned()),
        etag: Some("\"a\"".to_owned()),
        last_modified: Some("Mon, 30 Nov 2026 00:00:00 GMT".to_owned()),
        ..Head::default()
    }
}

fn identity() -> Identity {
    judge(&good(), None).unwrap().identity
}

fn judge(head: &Head, identity: Option<&Identity>) -> Result<Accepted, Failure> {
    check(&Expected { range: ASKED, identity, max_whole_bytes: 1000 }, head)
}

fn refusal(head: &Head, identity: Option<&Identity>) -> (ErrorCode, String) {
    match judge(head, identity) {
        Err(Failure::Refused(error)) => (error.code(), error.to_string()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_answer_that_was_asked_for_is_accepted() {
    let accepted = judge(&good(), Some(&identity())).unwrap();
    assert_eq!(accepted.range, ASKED);
    assert_eq!(accepted.identity.total, 1000);
    let bare = Head { content_length: None, etag: None, last_modified: None, ..good() };
    assert!(judge(&bare, Some(&identity())).is_ok());
}

#[test]
fn an_honestly_shorter_answer_is_accepted_as_what_it_is() {
    let head = Head {
        content_range: Some("bytes 100-149/1000".to_owned()),
        content_length: Some("50".to_owned()),
        ..good()
    };
    assert_eq!(judge(&head, None).unwrap().range, ByteRange::new(100, 150));
}

#[test]
fn a_200_is_refused_as_a_server_without_ranges() {
    let large = Head { status: 200, content_length: Some("1001".to_owned()), ..good() };
    let (code, message) = refusal(&large, None);
    for text in [None, Some(""), Some("0"), Some("-5"), Some("+5"), Some("5x"), Some("99999999999999999999")]
    {
        let head = Head { status: 200, content_length: text.map(str::to_owned), ..good() };
        assert_eq!(refusal(&head, None).0, ErrorCode::RangeUnsupported, "{text:?}");
    }
    assert_eq!(code, ErrorCode::RangeUnsupported);
    assert!(message.contains("HTTP 200"), "{message}");
    let page = Head { status: 200, content_type: Some("text/html; charset=utf-8".to_owned()), ..good() };
    assert!(refusal(&page, None).1.contains("web page"));
}

#[test]
fn a_200_of_a_small_file_is_the_whole_file() {
    let head = Head { status: 200, content_length: Some("1000".to_owned()), ..good() };
    let first = Expected { range: ByteRange::new(0, 50), identity: None, max_whole_bytes: 1000 };
    let accepted = check(&first, &head).unwrap();
    assert_eq!((accepted.range, accepted.skipped_bytes), (ByteRange::new(0, 1000), 0));
    assert_eq!(accepted.identity, identity());
    // A later request takes its part of it.
    let accepted = judge(&head, Some(&identity())).unwrap();
    assert_eq!((accepted.range, accepted.skipped_bytes), (ASKED, 100));
    let past =
        Expected { range: ByteRange::new(990, 1200), identity: Some(&identity()), max_whole_bytes: 1000 };
    assert_eq!(check(&past, &head).unwrap().range, ByteRange::new(990, 1000));

    let encoded = Head { content_encoding: Some("gzip".to_owned()), ..head.clone() };
    assert_eq!(refusal(&encoded, None).0, ErrorCode::BadResponse);
    let changed = Head { etag: Some("\"b\"".to_owned()), ..head.clone() };
    assert_eq!(refusal(&changed, Some(&identity())).0, ErrorCode::Changed);
    let shorter = Head { content_length: Some("999".to_owned()), ..head };
    assert_eq!(refusal(&shorter, Some(&identity())).0, ErrorCode::Changed);
}

#[test]
fn an_identity_is_shown_by_its_tag_or_else_its_date() {
    let shown = |head: &Head| judge(head, None).unwrap().identity.to_string();
    assert_eq!(shown(&good()), "size=1000 etag=\"a\"");
    assert_eq!(shown(&Head { etag: Some("W/\"a\"".to_owned()), ..good() }), "size=1000 etag=\"a\"");
    let dated = Head { etag: None, ..good() };
    assert_eq!(shown(&dated), "size=1000 last_modified=Mon, 30 Nov 2026 00:00:00 GMT");
    assert_eq!(shown(&Head { last_modified: None, ..dated }), "size=1000");
}

#[test]
fn any_other_status_is_left_to_the_retry_policy() {
    for status in [204, 301, 403, 404, 416, 500, 503] {
        let verdict = judge(&Head { status, ..good() }, None);
        assert!(matches!(verdict, Err(Failure::Status { status: s, .. }) if s == status));
    }
}

#[test]
fn an_answer_that_is_not_the_range_asked_for_is_refused() {
    for content_range in [
        "bytes 101-199/1000",
        "bytes 0-99/1000",
        "bytes 100-200/1000",
        "bytes 199-100/1000",
        "bytes 100-199/150",
        "bytes 100-199",
        "bytes */1000",
        "items 100-199/1000",
        "bytes -100-199/1000",
        "bytes +100-199/1000",
        "bytes 100-18446744073709551615/*",
        "",
        "bytes=100-199/1000",
    ] {
        let head = Head { content_range: Some(content_range.to_owned()), ..good() };
        assert_eq!(refusal(&head, None).0, ErrorCode::BadResponse, "{content_range}");
    }
    assert_eq!(refusal(&Head { content_range: None, ..good() }, None).0, ErrorCode::BadResponse);
}

#[test]
fn a_length_or_an_encoding_that_contradicts_the_range_is_refused() {
    for (length, encoding) in
        [("99", None), ("-1", None), ("x", None), ("100", Some("gzip")), ("100", Some("br"))]
    {
        let head = Head {
            content_length: Some(length.to_owned()),
            content_encoding: encoding.map(str::to_owned),
            ..good()
        };
        assert_eq!(refusal(&head, None).0, ErrorCode::BadResponse, "{length} {encoding:?}");
    }
    let identity_coding = Head { content_encoding: Some("identity".to_owned()), ..good() };
    assert!(judge(&identity_coding, None).is_ok());
}

#[test]
fn a_size_that_is_not_told_is_only_refused_at_the_first_request() {
    let head = Head { content_range: Some("bytes 100-199/*".to_owned()), ..good() };
    assert_eq!(refusal(&head, None).0, ErrorCode::BadResponse);
    assert!(judge(&head, Some(&identity())).is_ok());
}

#[test]
fn another_object_is_noticed() {
    let text = |s: &str| Some(s.to_owned());
    for head in [
        Head { etag: text("\"b\""), ..good() },
        Head { content_range: text("bytes 100-199/1001"), ..good() },
        Head { etag: None, last_modified: text("Tue, 01 Dec 2026 00:00:00 GMT"), ..good() },
    ] {
        assert_eq!(refusal(&head, Some(&identity())).0, ErrorCode::Changed, "{head:?}");
    }
}

#[test]
fn weakened_missing_and_redated_validators_are_tolerated() {
    for head in [
        Head { etag: Some("W/\"a\"".to_owned()), ..good() },
        Head { etag: None, ..good() },
        Head { etag: None, last_modified: None, ..good() },
        Head { last_modified: Some("Tue, 01 Dec 2026 00:00:00 GMT".to_owned()), ..good() },
    ] {
        assert!(judge(&head, Some(&identity())).is_ok(), "{head:?}");
    }
}

#[test]
fn only_the_last_answer_of_a_chain_counts() {
    let mut head = Head::default();
    for line in [
        "HTTP/1.1 200 Connection established\r\n",
        "\r\n",
        "HTTP/1.1 302 Found\r\n",
        "ETag: \"other\"\r\n",
        "Content-Range: bytes 0-0/1\r\n",
        "\r\n",
        "HTTP/2 206 \r\n",
        "content-range: bytes 5-9/10\r\n",
        "Retry-AFTER: 3\r\n",
        "nonsense\r\n",
        "\r\n",
    ] {
        head.line(line.as_bytes());
    }
    assert_eq!(head.status, 206);
    assert!(head.http2);
    assert_eq!(head.content_range.as_deref(), Some("bytes 5-9/10"));
    assert_eq!(head.etag, None);
    assert_eq!(head.retry_after(SystemTime::now()), Some(Duration::from_secs(3)));
}

#[test]
fn retry_after_is_read_in_both_forms() {
    let now = httpdate::parse_http_date("Mon, 30 Nov 2026 00:00:00 GMT").unwrap();
    let after = |text: &str| Head { retry_after: Some(text.to_owned()), ..good() }.retry_after(now);
    assert_eq!(after("Mon, 30 Nov 2026 00:00:07 GMT"), Some(Duration::from_secs(7)));
    assert_eq!(after("Sun, 29 Nov 2026 00:00:00 GMT"), Some(Duration::ZERO));
    assert_eq!(after("soon"), None);
}

proptest! {
    #[test]
    fn no_header_makes_the_check_panic_or_accept_bytes_that_were_not_asked_for(
        lines in prop::collection::vec(
            prop_oneof![
                "HTTP/1.1 206 x", "HTTP/\\PC{0,10}",
                "[Cc]ontent-[Rr]ange: bytes [0-9]{1,3}-[0-9]{1,20}/[0-9*]{1,20}",
                "Content-Length: [0-9-]{1,20}", "\\PC{0,30}: \\PC{0,30}",
            ], 0..6),
    ) {
        let mut head = Head::default();
        for line in &lines { head.line(line.as_bytes()); }
        if let Ok(accepted) = judge(&head, None) {
            prop_assert_eq!(accepted.range.start(), ASKED.start());
            prop_assert!(accepted.range.end() <= ASKED.end() && !accepted.range.is_empty());
            prop_assert!(accepted.range.end() <= accepted.identity.total);
        }
    }
}
