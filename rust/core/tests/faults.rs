//! Servers that misbehave: what passes is survived, what does not is one error, and no byte is wrong.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use remfile::{ErrorCode, Options, RemoteFile};
use support::{log, open, options, ranges, read, server};

/// Opens `path` expecting failure; returns code, message and the number of requests.
fn refusal(path: &str, text: &str) -> (ErrorCode, String, usize) {
    let server = server();
    let error = RemoteFile::open(&server.url(path), &options(text)).unwrap_err();
    let requests = log(&server).len();
    (error.code(), error.to_string(), requests)
}

#[test]
fn a_missing_file_costs_exactly_one_request() {
    let (code, message, requests) = refusal("files/none.h5", "");
    assert_eq!((code, requests), (ErrorCode::NotFound, 1));
    assert!(message.contains("/files/none.h5") && message.contains("HTTP 404"), "{message}");
}

#[test]
fn refusals_are_told_apart_and_cost_one_request() {
    for (path, expected, words) in [
        ("bytes/1000000?status=403&body=embargoed", ErrorCode::Denied, "embargoed"),
        ("bytes/1000000?status=401", ErrorCode::Denied, "HTTP 401"),
        ("bytes/1000000?status=410", ErrorCode::NotFound, "HTTP 410"),
        ("bytes/1000000?status=400", ErrorCode::Server, "HTTP 400"),
        ("bytes/16777217?ranges=off", ErrorCode::RangeUnsupported, "max_whole_file"),
        ("bytes/1000000?ranges=off&chunked=1", ErrorCode::RangeUnsupported, "size"),
        ("bytes/1000000?ranges=off&gzip=1", ErrorCode::BadResponse, "gzip"),
        ("bytes/100000000000?ranges=off", ErrorCode::RangeUnsupported, "HTTP 200"),
        (
            "bytes/1000000?status=416&body=No%20ranges%20of%20this",
            ErrorCode::RangeUnsupported,
            "No ranges of this",
        ),
        ("bytes/0", ErrorCode::RangeUnsupported, "empty"),
        ("bytes/1000000?html=1", ErrorCode::NotHdf5, "web page"),
        ("bytes/1000000?html=1&ranges=off", ErrorCode::RangeUnsupported, "web page"),
        ("bytes/1000000?gzip=1", ErrorCode::BadResponse, "gzip"),
        ("bytes/1000000?encoding=br", ErrorCode::BadResponse, "br"),
        ("bytes/1000000?shift=4", ErrorCode::BadResponse, "bytes 4-"),
        ("bytes/1000000?content_range=none", ErrorCode::BadResponse, "Content-Range"),
        ("bytes/1000000?total=star", ErrorCode::BadResponse, "size"),
        ("bytes/1000000?total=5", ErrorCode::BadResponse, "/5"),
        ("bytes/1000000?long=10", ErrorCode::BadResponse, ""),
        ("bytes/1000000?redirect=302&to=ftp%3A%2F%2F127.0.0.1%2Fx", ErrorCode::Server, "ftp"),
        ("bytes/1000000?hop=20", ErrorCode::Server, "redirect"),
    ] {
        let (code, message, requests) = refusal(path, "");
        assert_eq!(code, expected, "{path}: {message}");
        assert!(message.contains(words), "{path}: {message}");
        assert!(!message.contains('\n'), "{message:?}");
        let expected_requests = if path.contains("hop=") { 11 } else { 1 };
        assert_eq!(requests, expected_requests, "{path}");
    }
}

#[test]
fn a_server_that_ignores_ranges_sends_next_to_nothing() {
    let server = server();
    let file = open(&server, "bytes/2000000000?ranges=off&after=1");
    let error = read(&file, 1_000_000_000, 10).unwrap_err();
    assert_eq!(error.code(), ErrorCode::RangeUnsupported);
    assert!(file.stats().fetched_bytes < 2_000_000, "{}", file.stats().fetched_bytes);
}

#[test]
fn a_small_file_comes_whole_from_a_server_without_ranges() {
    for fault in ["ranges=off", "ranges=off&cut=700000&first=1"] {
        let server = server();
        let file = open(&server, &format!("bytes/16777216?{fault}"));
        for offset in [0, 8_000_000, 16_777_206] {
            read(&file, offset, 10).unwrap();
        }
        read(&file, 0, 16_777_216).unwrap();
        let requests = if fault.contains("cut") { 2 } else { 1 };
        assert_eq!(log(&server).len(), requests, "{fault}");
    }
}

#[test]
fn what_the_cache_cannot_keep_of_a_whole_file_is_taken_from_it_again() {
    let server = server();
    let url = server.url("bytes/3000000?ranges=off");
    let file = RemoteFile::open(&url, &options("max_cache_size=500000, read_ahead=0")).unwrap();
    for offset in [0, 1_000_000, 2_500_000, 100_000] {
        read(&file, offset, 200_000).unwrap();
    }
    assert!(log(&server).len() >= 3);
    assert!(file.stats().cached_bytes <= 500_000);
}

#[test]
fn max_whole_file_forbids_what_it_says() {
    let large = server();
    assert!(RemoteFile::open(&large.url("bytes/1000000000?ranges=off"), &Options::default()).is_err());
    assert!(log(&large)[0].bytes_sent < 20_000_000);
    for (bound, opens) in [(0, false), (999_999, false), (1_000_000, true)] {
        let server = server();
        let url = server.url("bytes/1000000?ranges=off");
        let opened = RemoteFile::open(&url, &options(&format!("max_whole_file={bound}")));
        assert_eq!(opened.is_ok(), opens, "{bound}");
    }
}

#[test]
fn passing_failures_are_survived_at_open_and_at_read() {
    for fault in [
        "status=503",
        "status=429",
        "status=500",
        "status=408",
        "status=503&html=1",
        "status=503&retry_after=0",
        "reset=1",
        "cut=0",
        "cut=1000",
        "cut=150000",
        "short=1000",
        "short=100000",
    ] {
        let server = server();
        let at_open = open(&server, &format!("bytes/5000000/a?{fault}&first=2"));
        // All of the head, of which opening does not wait for more than the beginning.
        read(&at_open, 0, 512_000).unwrap();
        assert!(log(&server).len() >= 3, "{fault}");
        let at_read = open(&server, &format!("bytes/5000000/b?{fault}&after=1&first=2"));
        // Whole blocks: what lies behind the read is not waited for.
        read(&at_read, 20 * 102_400, 7 * 102_400).unwrap();
        let paths = log(&server).iter().filter(|entry| entry.path.ends_with("/b")).count();
        assert!(paths >= 4, "{fault}");
    }
}

#[test]
fn a_file_is_open_once_its_first_bytes_are_here() {
    let server = server();
    // The rest of the first answer never comes.
    let url = server.url("bytes/5000000?stall=100000&first=1");
    let file = RemoteFile::open(&url, &options("stall_timeout_ms=2000")).unwrap();
    assert_eq!(file.size(), 5_000_000);
    read(&file, 0, 50_000).unwrap();
    assert_eq!(server.counters().requests, 0, "the answer has not ended");
    read(&file, 0, 512_000).unwrap();
    assert_eq!(file.stats().retries, 1);
    // A page is looked at to its end before anything is made of it.
    let page = RemoteFile::open(&server.url("bytes/5000000?html=1"), &Options::default()).unwrap_err();
    assert_eq!(page.code(), ErrorCode::NotHdf5);
}

#[test]
fn an_answer_that_breaks_off_is_resumed_where_it_broke() {
    let server = server();
    let file = open(&server, "bytes/20000000?cut=1000000&after=1&first=1");
    read(&file, 10_240_000, 2_048_000).unwrap();
    assert_eq!(ranges(&server)[1..], [(10_240_000, 12_288_000), (11_240_000, 12_288_000)]);
}

#[test]
fn a_server_that_caps_its_answers_is_asked_for_the_rest() {
    let server = server();
    let file = open(&server, "bytes/20000000?short=1024000&after=1&first=1");
    read(&file, 10_240_000, 2_048_000).unwrap();
    assert_eq!(ranges(&server)[1..], [(10_240_000, 12_288_000), (11_264_000, 12_288_000)]);
}

#[test]
fn a_lasting_failure_ends_after_the_retries_with_the_number_of_attempts() {
    let (code, message, requests) = refusal("bytes/1000000?status=503&body=overloaded", "max_retries=2");
    assert_eq!((code, requests), (ErrorCode::Server, 3));
    assert!(message.contains("overloaded") && message.contains("3 attempts"), "{message}");
    assert_eq!(refusal("bytes/1000000?status=503", "max_retries=0").2, 1);
    let (code, _, requests) = refusal("bytes/1000000?cut=100", "max_retries=1");
    assert_eq!((code, requests), (ErrorCode::Interrupted, 2));
}

#[test]
fn a_server_that_falls_silent_is_given_up_and_asked_again() {
    for stall in ["stall=head", "stall=0", "stall=120000"] {
        let server = server();
        let url = server.url(&format!("bytes/5000000?{stall}&after=1&first=1"));
        let file = RemoteFile::open(&url, &options("stall_timeout_ms=1000")).unwrap();
        read(&file, 1_024_000, 307_200).unwrap();
        assert_eq!(file.stats().retries, 1, "{stall}");
    }
    let (code, message, requests) =
        refusal("bytes/1000000?stall=head", "stall_timeout_ms=100, max_retries=1");
    assert_eq!((code, requests), (ErrorCode::TimedOut, 2), "{message}");
}

#[test]
fn an_answer_that_trickles_is_given_up_and_asked_for_again_where_it_stopped() {
    let server = server();
    let url = server.url("bytes/5000000?rate=500&after=1&first=1");
    let file = RemoteFile::open(&url, &options("stall_timeout_ms=1000")).unwrap();
    read(&file, 1_024_000, 102_400).unwrap();
    let stats = file.stats();
    assert_eq!(stats.retries, 1);
    assert!(stats.fetched_bytes <= 512_000 + 102_400, "{}", stats.fetched_bytes);
}

#[test]
fn an_unreachable_host_is_an_error_not_a_hang() {
    let options: Options = options("max_retries=1, connect_timeout_ms=2000");
    for url in ["http://127.0.0.1:1/x.h5", "http://no-such-host.invalid/x.h5"] {
        let error = RemoteFile::open(url, &options).unwrap_err();
        assert_eq!((error.code(), error.attempts()), (ErrorCode::Unreachable, 2), "{error}");
        assert!(error.to_string().contains(url), "{error}");
    }
}

#[test]
fn bad_urls_and_options_are_refused_without_a_request() {
    for url in ["", "/tmp/x.h5", "s3://bucket", "http://"] {
        let error = RemoteFile::open(url, &Options::default()).unwrap_err();
        assert_eq!((error.code(), error.attempts()), (ErrorCode::InvalidUrl, 0), "{url}");
    }
    let mut wrong = Options::default();
    wrong.max_connections = 0;
    let error = RemoteFile::open("http://127.0.0.1:1/", &wrong).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidOption);
}

#[test]
fn a_file_that_changes_while_open_is_noticed() {
    for change in ["etag_flip=1", "total=5000001", "etag=none&mtime=1000"] {
        let server = server();
        let file = open(&server, &format!("bytes/5000000?{change}&after=1"));
        let error = read(&file, 2_000_000, 10).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Changed, "{change}: {error}");
        assert_eq!(log(&server).len(), 2, "{change}");
        // What was fetched before stays readable; nothing is fetched any more, whatever the server has now.
        read(&file, 0, 500_000).unwrap();
        assert_eq!(read(&file, 4_000_000, 10).unwrap_err().code(), ErrorCode::Changed);
        assert_eq!(log(&server).len(), 2, "{change}");
    }
}

#[test]
fn weak_and_missing_entity_tags_are_tolerated() {
    for validator in ["etag=weak", "etag=none", "etag=none&last_modified=none"] {
        let server = server();
        let file = open(&server, &format!("bytes/5000000?{validator}"));
        read(&file, 2_000_000, 10).unwrap();
    }
}

#[test]
fn redirects_keep_the_range() {
    let server = server();
    for code in [301, 302, 303, 307, 308] {
        server.reset();
        let file = open(&server, &format!("bytes/1?redirect={code}&to=%2Fbytes%2F3000000"));
        read(&file, 2_000_000, 1000).unwrap();
        assert_eq!(file.size(), 3_000_000);
        let wanted = [Some((0, 512_000)), Some((1_996_800, 2_099_200))];
        let served: Vec<_> =
            log(&server).iter().filter(|entry| entry.status == 206).map(|entry| entry.range).collect();
        assert_eq!(served, wanted, "{code}");
    }
}

#[test]
fn a_server_that_goes_away_is_an_error_for_every_later_read_and_cached_bytes_stay() {
    let server = server();
    let url = server.url("bytes/50000000");
    let file = RemoteFile::open(&url, &options("max_retries=1, connect_timeout_ms=2000")).unwrap();
    server.kill();
    for _ in 0..2 {
        assert_eq!(read(&file, 20_000_000, 10).unwrap_err().code(), ErrorCode::Unreachable);
    }
    read(&file, 0, 1000).unwrap();
}

#[test]
fn a_stale_kept_alive_connection_costs_one_immediate_retry() {
    let server = server();
    // With one connection the second request takes that of the first.
    let url = server.url("bytes/5000000?reset=1&after=1&first=1");
    let file = RemoteFile::open(&url, &options("max_connections=1")).unwrap();
    read(&file, 2_000_000, 10).unwrap();
    assert_eq!(file.stats().backoff_ms, 0);
    assert_eq!(log(&server).len(), 3);
}

#[test]
fn closing_a_file_with_requests_in_flight_does_not_wait_for_them() {
    let server = server();
    let file = open(&server, "bytes/500000000?stall=head&after=1");
    file.prefetch(&[remfile::ByteRange::new(100_000_000, 200_000_000)]).unwrap();
    drop(file);
    let file = open(&server, "bytes/1000");
    read(&file, 0, 1000).unwrap();
}

#[test]
fn secrets_of_the_url_are_in_no_message() {
    let server = server();
    let url =
        server.url("bytes/1000?status=403&body=bad%20X-Amz-Signature=topsecret&X-Amz-Signature=topsecret");
    let error =
        RemoteFile::open(&url.replace("http://", "http://me:hidden@"), &Options::default()).unwrap_err();
    let message = error.to_string();
    assert!(!message.contains("hidden") && !message.contains("X-Amz-Signature=topsecret&"), "{message}");
}

#[test]
fn nothing_is_fetched_once_a_file_has_changed_even_if_it_changes_back() {
    let server = server();
    let file = open(&server, "bytes/9000000?etag_flip=1&after=1&first=1");
    for offset in [2_000_000, 5_000_000] {
        assert_eq!(read(&file, offset, 10).unwrap_err().code(), ErrorCode::Changed);
    }
    assert_eq!(log(&server).len(), 2);
    read(&open(&server, "bytes/9000000?etag_flip=1&after=1&first=1"), 5_000_000, 10).unwrap();
}

#[test]
fn an_identity_is_the_objects_whatever_signs_its_url() {
    let server = server();
    let identity = |path: &str| open(&server, path).identity();
    let of_first = identity("bytes/3000000?X-Amz-Signature=1");
    assert_eq!(of_first, identity("bytes/3000000?X-Amz-Signature=2"));
    assert_eq!(of_first, identity("bytes/3000000"));
    assert!(of_first.contains("size=3000000 etag=\""), "{of_first}");
    for other in ["bytes/3000001", "bytes/3000000?seed=1", "bytes/3000000/x", "bytes/3000000?etag=none"] {
        assert_ne!(of_first, identity(other), "{other}");
    }
}

#[test]
fn no_request_is_made_conditional_on_a_validator() {
    let server = server();
    read(&open(&server, "bytes/3000000"), 2_000_000, 10).unwrap();
    for entry in log(&server) {
        assert!(entry.headers.iter().all(|(name, _)| !name.starts_with("if-")), "{entry}");
        assert_eq!(entry.method.as_ref(), "GET");
        assert_eq!(entry.header("accept-encoding"), Some("identity"));
    }
}

#[test]
fn a_server_that_complains_is_asked_less_at_once() {
    let server = server();
    let file = open(&server, "bytes/900000000?delay=30&error_in_flight=4");
    let place = |i: u64| i * i * i * 27_000;
    let ranges: Vec<_> = (3..32).map(|i| remfile::ByteRange::new(place(i), place(i) + 10)).collect();
    file.prefetch(&ranges).unwrap();
    for range in &ranges {
        read(&file, range.start(), 10).unwrap();
    }
    let refused = log(&server).iter().filter(|entry| entry.status == 503).count();
    assert!((1..=28).contains(&refused), "{refused}");
}

#[test]
fn a_server_that_names_a_time_is_left_alone_until_then_by_all_files() {
    let server = server();
    let patient = open(&server, "bytes/900000000/patient?status=503&retry_after=60&after=1");
    let url = server.url("bytes/900000000/other");
    let other = RemoteFile::open(&url, &options("complete_small_files=0, read_timeout_ms=300")).unwrap();
    patient.prefetch(&[remfile::ByteRange::new(100_000_000, 100_000_010)]).unwrap();
    // The refusal has been heard once its request is one to be repeated.
    while patient.stats().backoff_ms == 0 {
        std::thread::yield_now();
    }
    assert_eq!(read(&other, 500_000_000, 10).unwrap_err().code(), ErrorCode::TimedOut);
    assert_eq!(log(&server).len(), 3);
}
