//! Addresses that redirect, expire and are replaced while the file is open.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use remfile::{ByteRange, ErrorCode, Options, RemoteFile};
use remfile_test_server::Server;
use support::{encoded, log, open, options, read, server};

/// The path that redirects to `target`.
fn redirecting(target: &str) -> String {
    format!("bytes/1/redirector?redirect=302&to={}", encoded(target))
}

/// How many requests came for paths that end with `name`.
fn seen(server: &Server, name: &str) -> usize {
    log(server).iter().filter(|entry| entry.path.ends_with(name)).count()
}

#[test]
fn what_a_redirect_led_to_is_asked_directly_from_then_on() {
    let server = server();
    for code in [301, 302, 303, 307, 308] {
        server.reset();
        let path = format!("bytes/1/redirector?redirect={code}&to=%2Fbytes%2F900000000%2Fsigned");
        let file = open(&server, &path);
        for i in 1..50_u64 {
            read(&file, i * i * 300_007, 1000).unwrap();
        }
        assert_eq!(seen(&server, "redirector"), 1, "{code}");
    }
}

#[test]
fn an_expired_address_is_resolved_once_for_eight_requests_in_flight() {
    let server = server();
    let target = "/bytes/900000000/signed?delay=100&status=403&after=1&first=8";
    let file = open(&server, &redirecting(target));
    let place = |i: u64| i * i * i * 1_700_000;
    let ranges: Vec<_> = (1..9).map(|i| ByteRange::new(place(i), place(i) + 10)).collect();
    // Those that are not refused are served at once: the delay lies between the knobs' turns.
    file.prefetch(&ranges).unwrap();
    for range in &ranges {
        read(&file, range.start(), 10).unwrap();
    }
    assert_eq!(seen(&server, "redirector"), 2);
    // The head, eight refused, and eight served.
    assert_eq!(seen(&server, "signed"), 17);
    assert_eq!((file.stats().retries, file.stats().backoff_ms), (8, 0));
}

#[test]
fn the_way_is_looked_for_anew_where_the_host_at_its_end_is_gone() {
    let (first, second) = (server(), server());
    let url = first.url(&redirecting(&second.url("bytes/9000000")));
    let file = RemoteFile::open(&url, &options("complete_small_files=0, max_retries=1")).unwrap();
    second.kill();
    assert_eq!(read(&file, 5_000_000, 10).unwrap_err().code(), ErrorCode::Unreachable);
    assert_eq!(first.counters().requests, 2);
}

#[test]
fn a_refusal_that_repeats_freshly_resolved_is_final() {
    for (status, code) in [(403, ErrorCode::Denied), (401, ErrorCode::Denied), (404, ErrorCode::NotFound)] {
        let server = server();
        let file = open(&server, &redirecting(&format!("/bytes/9000000/signed?status={status}&after=1")));
        let error = read(&file, 5_000_000, 10).unwrap_err();
        assert_eq!((error.code(), error.http_status()), (code, Some(status)), "{error}");
        assert_eq!((seen(&server, "redirector"), seen(&server, "signed")), (2, 3));
    }
}

#[test]
fn a_presigned_url_is_asked_for_byte_for_byte() {
    let server = server();
    let long = "a%2B+".repeat(360);
    let query = "X-Amz-Signature=a%2Fb+c&b=%7e~&a=1/2:@!$'()*,;&%E4=";
    let query = format!("{query}&padding={long}");
    for path in ["bytes/3000000/a%20b/../%2e%2E//c", "bytes/3000000/plain"] {
        let signed = server.url(&format!("{path}?{query}"));
        for url in [signed.clone(), server.url(&redirecting(&signed))] {
            server.reset();
            let file = RemoteFile::open(&url, &Options::default()).unwrap();
            read(&file, 2_000_000, 10).unwrap();
            for entry in log(&server).iter().filter(|entry| !entry.path.ends_with("redirector")) {
                assert_eq!((&*entry.path, &*entry.query), (&*format!("/{path}"), &*query));
            }
        }
    }
}

#[test]
fn a_redirect_to_another_host_counts_against_that_hosts_connections() {
    let (first, second) = (server(), server());
    let url = first.url(&redirecting(&second.url("bytes/200000000?delay=30")));
    let file = RemoteFile::open(&url, &options("max_connections=3, complete_small_files=0")).unwrap();
    read(&file, 10_000_000, 60_000_000).unwrap();
    log(&second);
    assert!((2..=3).contains(&second.counters().max_in_flight), "{}", second.counters().max_in_flight);
    assert_eq!(first.counters().requests, 1);
}

#[test]
fn a_redirect_to_another_host_takes_no_credentials_along() {
    let (first, second) = (server(), server());
    let url = first
        .url(&redirecting(&second.url("bytes/9000000?forbid_header=authorization")))
        .replace("http://", "http://me:secret@");
    let file = RemoteFile::open(&url, &Options::default()).unwrap();
    read(&file, 5_000_000, 10).unwrap();
    assert_eq!(log(&first)[0].header("authorization"), Some("Basic bWU6c2VjcmV0"));
}

#[test]
fn a_redirect_within_a_host_and_a_relative_one_are_followed() {
    let server = server();
    for location in ["/bytes/3000000/x", "../3000000/x", "//HOST/bytes/3000000/x"] {
        let location = location.replace("HOST", &server.addr().to_string());
        let file = open(&server, &redirecting(&location));
        assert_eq!(file.size(), 3_000_000, "{location}");
    }
}

/// A program's callback that gives these URLs in turn, the last one for ever, and counts its calls.
fn refresher(
    urls: Vec<String>,
) -> (
    Arc<AtomicUsize>,
    impl Fn() -> Result<String, Box<dyn std::error::Error + Send + Sync>> + Send + Sync + 'static,
) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    (calls, move || {
        let call = counter.fetch_add(1, Ordering::Relaxed);
        Ok(urls[call.min(urls.len() - 1)].clone())
    })
}

#[test]
fn a_fresh_url_is_asked_for_once_however_many_threads_and_requests_are_refused() {
    for refusal in ["status=403", "status=401", "status=410", "status=400&body=The%20token%20has%20expired"] {
        let server = server();
        let (calls, refresh) = refresher(vec![server.url("bytes/900000000/fresh")]);
        let url = server.url(&format!("bytes/900000000/old?{refusal}&after=1&delay=50"));
        let file = RemoteFile::open_with_refresh(&url, &options("complete_small_files=0"), refresh).unwrap();
        std::thread::scope(|scope| {
            for i in 1..9_u64 {
                let file = &file;
                scope.spawn(move || read(file, i * i * i * 1_700_000, 2_000_000).unwrap());
            }
        });
        assert_eq!(calls.load(Ordering::Relaxed), 1, "{refusal}");
        // What was in the cache is not fetched again.
        server.reset();
        read(&file, 0, 500_000).unwrap();
        assert_eq!(log(&server).len(), 0);
    }
}

#[test]
fn an_expired_url_can_be_replaced_when_the_file_is_opened() {
    let server = server();
    let (calls, refresh) = refresher(vec![server.url("bytes/9000000/fresh")]);
    let url = server.url("bytes/9000000/old?status=403");
    let file = RemoteFile::open_with_refresh(&url, &Options::default(), refresh).unwrap();
    assert_eq!((file.size(), calls.load(Ordering::Relaxed)), (9_000_000, 1));
}

#[test]
fn a_fresh_url_must_be_for_the_same_object() {
    for other in ["bytes/9000000/fresh?etag=other", "bytes/9000001/fresh"] {
        let server = server();
        let (calls, refresh) = refresher(vec![server.url(other)]);
        let url = server.url("bytes/9000000/old?status=403&after=1");
        let file = RemoteFile::open_with_refresh(&url, &options("complete_small_files=0"), refresh).unwrap();
        let error = read(&file, 5_000_000, 10).unwrap_err();
        assert_eq!((error.code(), calls.load(Ordering::Relaxed)), (ErrorCode::Changed, 1), "{error}");
    }
}

#[test]
fn a_fresh_url_that_is_refused_too_is_the_last() {
    let server = server();
    let (calls, refresh) = refresher(vec![server.url("bytes/9000000/fresh?status=403")]);
    let url = server.url("bytes/9000000/old?status=403&after=1");
    let file = RemoteFile::open_with_refresh(&url, &options("complete_small_files=0"), refresh).unwrap();
    assert_eq!(read(&file, 5_000_000, 10).unwrap_err().code(), ErrorCode::Denied);
    assert_eq!((calls.load(Ordering::Relaxed), seen(&server, "fresh")), (1, 1));
}

#[test]
fn what_a_missing_file_or_another_error_says_is_not_asked_of_the_program() {
    let server = server();
    for status in [404, 400, 416] {
        let (calls, refresh) = refresher(vec![server.url("bytes/9000000")]);
        let url = server.url(&format!("bytes/9000000?status={status}"));
        assert!(RemoteFile::open_with_refresh(&url, &Options::default(), refresh).is_err());
        assert_eq!(calls.load(Ordering::Relaxed), 0, "{status}");
    }
}

#[test]
fn a_callback_that_fails_or_panics_is_the_reads_error_and_nothing_more() {
    let server = server();
    let url = server.url("bytes/9000000/old?status=403&after=1&name=topsecret");
    let open = |refresh: fn() -> Result<String, Box<dyn std::error::Error + Send + Sync>>| {
        RemoteFile::open_with_refresh(&url, &options("complete_small_files=0"), refresh).unwrap()
    };
    std::panic::set_hook(Box::new(|_| {}));
    for (refresh, code, words) in [
        ((|| Err("logged out".into())) as fn() -> _, ErrorCode::Denied, "logged out"),
        ((|| panic!("oops")) as fn() -> _, ErrorCode::Internal, "panicked"),
        ((|| Ok("ftp://x/topsecret?topsecret".to_owned())) as fn() -> _, ErrorCode::InvalidUrl, "http"),
    ] {
        server.reset();
        let file = open(refresh);
        let error = read(&file, 5_000_000, 10).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(words) && error.to_string().contains("HTTP 403"), "{error}");
        assert!(!error.to_string().contains("?topsecret"), "{error}");
        read(&file, 0, 1000).unwrap();
    }
    let _ = std::panic::take_hook();
}

#[test]
fn a_callback_may_open_and_read_other_files() {
    let server = server();
    let (other, fresh) = (server.url("bytes/3000000/other"), server.url("bytes/9000000/fresh"));
    let refresh = move || {
        let file = RemoteFile::open(&other, &Options::default())?;
        read(&file, 2_000_000, 10)?;
        Ok(fresh.clone())
    };
    let url = server.url("bytes/9000000/old?status=403&after=1");
    let file = RemoteFile::open_with_refresh(&url, &options("complete_small_files=0"), refresh).unwrap();
    read(&file, 5_000_000, 10).unwrap();
}
