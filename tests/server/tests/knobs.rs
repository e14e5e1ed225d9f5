//! What each knob changes.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{ErrorKind, Read};
use std::time::{Duration, Instant};

use support::{Client, generated, get, get_range, start, try_get};

const SOON: Duration = Duration::from_secs(20);

#[test]
fn status_answers_a_line_of_text_or_the_body_asked_for() {
    let server = start();
    let answer = get(&server, "/bytes/100?status=503");
    assert_eq!((answer.status, answer.text()), (503, "503 Service Unavailable\n"));
    let answer = get(&server, "/nowhere?status=404&body=not%20here");
    assert_eq!((answer.status, answer.text()), (404, "not here"));
    let answer = get(&server, "/bytes/100?status=304");
    assert_eq!((answer.status, answer.header("content-length")), (304, None));
}

#[test]
fn an_html_error_page_is_large() {
    let answer = get(&start(), "/bytes/100?status=502&html=1");
    assert_eq!(answer.status, 502);
    assert!(answer.header("content-type").unwrap().starts_with("text/html"));
    assert!(answer.body.len() >= 100_000 && answer.text().starts_with("<!DOCTYPE html>"));
}

#[test]
fn retry_after_is_seconds_or_a_date() {
    let server = start();
    let answer = get(&server, "/bytes/100?status=429&retry_after=2");
    assert_eq!((answer.status, answer.header("retry-after")), (429, Some("2")));
    let date = "Mon,%2001%20Jan%202024%2000:00:00%20GMT";
    let answer = get(&server, &format!("/bytes/100?status=503&retry_after={date}"));
    assert_eq!(answer.header("retry-after"), Some("Mon, 01 Jan 2024 00:00:00 GMT"));
    assert_eq!(get(&server, "/bytes/100?status=503&retry_after=soon").status, 400);
}

#[test]
fn first_and_after_count_the_requests_of_a_path_and_query() {
    let server = start();
    let statuses = |target: &str| -> Vec<u16> { (0..6).map(|_| get(&server, target).status).collect() };
    assert_eq!(statuses("/bytes/1?status=503&first=2"), [503, 503, 200, 200, 200, 200]);
    assert_eq!(statuses("/bytes/1?status=503&first=2&name=b"), [503, 503, 200, 200, 200, 200]);
    assert_eq!(statuses("/bytes/1?status=503&after=4"), [200, 200, 200, 200, 503, 503]);
    assert_eq!(statuses("/bytes/1?status=503&after=2&first=3"), [200, 200, 503, 503, 503, 200]);
    assert_eq!(statuses("/bytes/1?status=503&first=2"), [200; 6]);
    server.reset();
    assert_eq!(statuses("/bytes/1?status=503&first=1"), [503, 200, 200, 200, 200, 200]);
}

#[test]
fn delay_and_rate_take_their_time() {
    let server = start();
    let begin = Instant::now();
    assert_eq!(get(&server, "/bytes/10?delay=150").status, 200);
    assert!(begin.elapsed() >= Duration::from_millis(150));

    let begin = Instant::now();
    assert_eq!(get(&server, "/bytes/2000?rate=10000").body, generated(0, 0, 2000));
    assert!(begin.elapsed() >= Duration::from_millis(150));
}

#[test]
fn stall_sends_some_bytes_and_then_nothing() {
    let server = start();
    let mut client = Client::connect(server.addr());
    client.send("GET", "/bytes/200000?stall=100000", &[]);
    assert_eq!(client.read_head().unwrap().header("content-length"), Some("200000"));
    assert!(client.read_exact(100_000) == generated(0, 0, 100_000));
    assert!(client.is_silent());
    assert_eq!(server.counters().in_flight, 1);
    drop(client);
    assert!(server.wait_idle(SOON));
    assert_eq!(server.log()[0].bytes_sent, 100_000);
}

#[test]
fn stall_at_the_head_sends_nothing() {
    let server = start();
    let mut client = Client::connect(server.addr());
    client.send("GET", "/bytes/10?stall=head", &[]);
    assert!(client.is_silent());
    drop(client);
    assert!(server.wait_idle(SOON));
    assert_eq!(server.log()[0].status, 0);
}

#[test]
fn cut_closes_the_connection_after_exactly_so_many_bytes() {
    let server = start();
    for cut in [0, 1, 1000, 65_536, 150_000, 199_999] {
        let answer = get(&server, &format!("/bytes/200000?cut={cut}"));
        assert_eq!(answer.header("content-length"), Some("200000"));
        assert!(!answer.whole && answer.body == generated(0, 0, cut), "{cut}");
        let entry = server.log().pop().unwrap();
        assert_eq!((entry.status, entry.bytes_sent), (200, cut));
    }
    assert!(get(&server, "/bytes/200000?cut=200000").whole);
    let answer = get_range(&server, "/bytes/200000?cut=10", "bytes=500-599");
    assert_eq!((answer.status, answer.body), (206, generated(0, 500, 510)));
    assert!(!get(&server, "/bytes/1000?cut=10&chunked=1").whole);
}

#[test]
fn reset_breaks_the_connection_without_an_answer() {
    let server = start();
    let error = try_get(&server, "/bytes/10?reset=1", &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    let entry = server.log().pop().unwrap();
    assert_eq!((entry.status, entry.bytes_sent), (0, 0));
}

#[test]
fn ranges_off_answers_with_the_whole_object() {
    let answer = get_range(&start(), "/bytes/1000?ranges=off", "bytes=10-19");
    assert_eq!((answer.status, &*answer.body), (200, &*generated(0, 0, 1000)));
    assert_eq!(answer.header("accept-ranges"), Some("none"));
}

#[test]
fn shift_serves_later_bytes_and_says_so() {
    let server = start();
    let answer = get_range(&server, "/bytes/1000?shift=5", "bytes=10-19");
    assert_eq!(answer.header("content-range"), Some("bytes 15-24/1000"));
    assert_eq!((answer.status, answer.body), (206, generated(0, 15, 25)));
    let answer = get_range(&server, "/bytes/1000?shift=5", "bytes=990-999");
    assert_eq!(answer.header("content-range"), Some("bytes 995-999/1000"));
    assert_eq!(answer.body, generated(0, 995, 1000));
    assert_eq!(get_range(&server, "/bytes/1000?shift=18446744073709551615", "bytes=1-2").status, 416);
}

#[test]
fn lie_serves_later_bytes_and_hides_it() {
    let answer = get_range(&start(), "/bytes/1000?lie=5", "bytes=10-19");
    assert_eq!(answer.header("content-range"), Some("bytes 10-19/1000"));
    assert_eq!(answer.body, generated(0, 15, 25));
}

#[test]
fn short_serves_fewer_bytes_honestly() {
    let server = start();
    let answer = get_range(&server, "/bytes/1000?short=4", "bytes=10-19");
    assert_eq!(answer.header("content-range"), Some("bytes 10-15/1000"));
    assert_eq!(answer.body, generated(0, 10, 16));
    let answer = get_range(&server, "/bytes/1000?short=400", "bytes=10-19");
    assert_eq!(answer.header("content-range"), Some("bytes 10-10/1000"));
    assert_eq!(answer.body, generated(0, 10, 11));
}

#[test]
fn long_serves_more_bytes_than_the_content_range_says() {
    let answer = get_range(&start(), "/bytes/1000?long=4", "bytes=10-19");
    assert_eq!(answer.header("content-range"), Some("bytes 10-19/1000"));
    assert_eq!(answer.header("content-length"), Some("14"));
    assert_eq!(answer.body, generated(0, 10, 24));
}

#[test]
fn total_and_content_range_change_what_is_said_about_a_range() {
    let server = start();
    let said = |query: &str| {
        let answer = get_range(&server, &format!("/bytes/1000?{query}"), "bytes=10-19");
        assert_eq!((answer.status, answer.body.len()), (206, 10));
        answer.header("content-range").map(str::to_owned)
    };
    assert_eq!(said("total=77").unwrap(), "bytes 10-19/77");
    assert_eq!(said("total=star").unwrap(), "bytes 10-19/*");
    assert_eq!(said("content_range=none"), None);
}

#[test]
fn the_validators_are_as_asked() {
    let server = start();
    let etag = |query: &str| get(&server, &format!("/bytes/10?{query}")).header("etag").map(str::to_owned);
    let plain = etag("").unwrap();
    assert_eq!(etag("etag=none"), None);
    assert_eq!(etag("etag=weak").unwrap(), format!("W/{plain}"));
    assert_eq!(etag("etag=abc").unwrap(), "\"abc\"");
    assert_eq!(etag("etag=W/%22abc%22").unwrap(), "W/\"abc\"");
    let flipping = ["", ""].map(|_| etag("etag_flip=1&after=1").unwrap());
    assert_eq!(flipping[0], plain);
    assert_ne!(flipping[1], plain);

    let modified =
        |query: &str| get(&server, &format!("/bytes/10?{query}")).header("last-modified").map(str::to_owned);
    assert_eq!(modified("last_modified=none"), None);
    assert_eq!(modified("mtime=0").unwrap(), "Thu, 01 Jan 1970 00:00:00 GMT");
}

#[test]
fn gzip_compresses_what_would_have_been_served() {
    let server = start();
    let answer = get_range(&server, "/bytes/10000?gzip=1", "bytes=100-1099");
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    assert_eq!(answer.header("content-range"), Some("bytes 100-1099/10000"));
    let mut body = Vec::new();
    flate2::read::GzDecoder::new(&*answer.body).read_to_end(&mut body).unwrap();
    assert_eq!(body, generated(0, 100, 1100));
    assert_eq!(get(&server, "/bytes/100000000?gzip=1").status, 400);
}

#[test]
fn encoding_only_claims() {
    let answer = get(&start(), "/bytes/100?encoding=br");
    assert_eq!(answer.header("content-encoding"), Some("br"));
    assert_eq!(answer.body, generated(0, 0, 100));
}

#[test]
fn chunked_answers_have_no_length() {
    let server = start();
    let mut client = Client::connect(server.addr());
    for _ in 0..2 {
        let range = [("Range", "bytes=100-200099")];
        let answer = client.request("GET", "/bytes/300000?chunked=1", &range).unwrap();
        assert_eq!(answer.status, 206);
        assert_eq!(answer.header("content-length"), None);
        assert_eq!(answer.header("content-range"), Some("bytes 100-200099/300000"));
        assert!(answer.whole && answer.body == generated(0, 100, 200_100));
    }
    assert_eq!(server.counters().bytes, 400_000);
    assert_eq!(client.request("GET", "/bytes/0?chunked=1", &[]).unwrap().body, b"");
}

#[test]
fn a_login_page_stands_for_the_object() {
    let server = start();
    let page = get(&server, "/bytes/100000?html=1");
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert!(page.text().contains("<title>Log in</title>"));
    let part = get_range(&server, "/bytes/100000?html=1", "bytes=0-14");
    assert_eq!((part.status, part.text()), (206, "<!DOCTYPE html>"));
    assert_eq!(part.header("content-range").unwrap(), format!("bytes 0-14/{}", page.body.len()));
}

#[test]
fn redirects_go_exactly_where_they_are_told() {
    let server = start();
    for code in [301, 302, 303, 307, 308] {
        let answer = get(&server, &format!("/x?redirect={code}&to=http%3A%2F%2Fa%2Fb%3Fc%3Dd%26e"));
        assert_eq!((answer.status, answer.header("location")), (code, Some("http://a/b?c=d&e")));
    }
    assert_eq!(get(&server, "/x?to=%2Fbytes%2F1").status, 302);
}

#[test]
fn hops_lead_to_the_object_in_the_end() {
    let server = start();
    let mut target = "/bytes/10?hop=3&seed=1&redirect=307".to_owned();
    for left in ["2", "1", "0"] {
        let answer = get(&server, &target);
        assert_eq!(answer.status, 307);
        target = answer.header("location").unwrap().to_owned();
        assert_eq!(target, format!("/bytes/10?hop={left}&seed=1&redirect=307"));
    }
    assert_eq!(get(&server, &target).body, generated(1, 0, 10));
}

#[test]
fn headers_are_required_forbidden_and_compared() {
    let server = start();
    let status = |query: &str, headers: &[(&str, &str)]| {
        try_get(&server, &format!("/bytes/10?{query}"), headers).unwrap().status
    };
    let auth = "auth=Bearer%20abc";
    assert_eq!(status(auth, &[]), 401);
    assert_eq!(status(auth, &[("Authorization", "Bearer abd")]), 401);
    assert_eq!(status(auth, &[("authorization", "Bearer abc")]), 200);
    assert_eq!(status("forbid_header=Range", &[]), 200);
    assert_eq!(status("forbid_header=Range", &[("range", "bytes=0-1")]), 400);
    assert_eq!(status("require_header=X-Key:abc", &[]), 403);
    assert_eq!(status("require_header=X-Key:abc", &[("x-key", "ab")]), 403);
    assert_eq!(status("require_header=X-Key:abc", &[("x-key", "abc")]), 200);
}

#[test]
fn close_ends_the_connection_as_announced() {
    let server = start();
    let mut client = Client::connect(server.addr());
    let answer = client.request("GET", "/bytes/10?close=1", &[]).unwrap();
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(answer.body.len(), 10);
    assert!(client.is_closed());
}

#[test]
fn too_many_requests_in_flight_are_answered_503() {
    let server = start();
    let mut stalled = Client::connect(server.addr());
    stalled.send("GET", "/bytes/10?stall=1", &[]);
    stalled.read_head().unwrap();
    let answer = get(&server, "/bytes/10?error_in_flight=1&retry_after=1");
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
    assert_eq!(get(&server, "/bytes/10?error_in_flight=2").status, 200);
}

#[test]
fn malformed_knobs_are_answered_400_by_name() {
    let server = start();
    for knob in [
        "status=abc",
        "status=100",
        "delay=-1",
        "rate=0",
        "stall=x",
        "cut=",
        "first=+1",
        "shift=1.5",
        "total=all",
        "ranges=on",
        "etag_flip=yes",
        "redirect=200",
        "redirect=302",
        "hop=x",
        "require_header=abc",
        "forbid_header=a%20b",
        "mtime=999999999999",
        "seed=-1",
        "to=%0A",
    ] {
        let answer = get(&server, &format!("/bytes/10?{knob}"));
        assert_eq!(answer.status, 400, "{knob}");
        let name = knob.split('=').next().unwrap();
        assert!(answer.text().starts_with(&format!("the knob {name}=")), "{}", answer.text());
    }
}
