use super::*;

const POLICY: Policy = Policy { max_retries: 3, time_limit: Some(Duration::from_secs(100)) };

fn tries(failures: u32) -> Tries {
    Tries { requests: failures, failures, ..Tries::default() }
}

fn status(status: u16) -> Failure {
    Failure::Status { status, retry_after: None, words: None }
}

fn error(decision: Decision) -> Error {
    match decision {
        Decision::Fail(error) => error,
        Decision::RetryAfter(_) => panic!("retried"),
    }
}

fn pause_of(decision: Decision) -> Duration {
    match decision {
        Decision::RetryAfter(pause) => pause,
        Decision::Fail(error) => panic!("gave up: {error}"),
    }
}

#[test]
fn a_permanent_status_fails_at_once_with_its_code() {
    for (number, code) in [
        (400, ErrorCode::Server),
        (401, ErrorCode::Denied),
        (403, ErrorCode::Denied),
        (404, ErrorCode::NotFound),
        (410, ErrorCode::NotFound),
        (416, ErrorCode::RangeUnsupported),
        (302, ErrorCode::Server),
        (501, ErrorCode::Server),
    ] {
        let error = error(decide(&POLICY, &tries(1), status(number), 0.5));
        assert_eq!((error.code(), error.http_status(), error.attempts()), (code, Some(number), 1));
    }
}

#[test]
fn a_passing_status_is_retried_until_the_patience_ends() {
    for number in [408, 425, 429, 500, 502, 503, 504, 522] {
        for failures in 1..=3 {
            pause_of(decide(&POLICY, &tries(failures), status(number), 0.5));
        }
        let error = error(decide(&POLICY, &tries(4), status(number), 0.5));
        assert_eq!((error.code(), error.attempts()), (ErrorCode::Server, 4));
    }
}

#[test]
fn pauses_double_up_to_a_cap_and_are_spread_over_their_upper_half() {
    let policy = Policy { max_retries: 100, time_limit: None };
    let at = |failures, lot| pause_of(decide(&policy, &tries(failures), status(503), lot)).as_millis();
    assert_eq!((at(1, 0.0), at(1, 1.0)), (100, 200));
    assert_eq!((at(2, 0.0), at(2, 1.0)), (200, 400));
    assert_eq!((at(3, 0.0), at(3, 1.0)), (400, 800));
    assert_eq!((at(50, 0.0), at(50, 1.0)), (5_000, 10_000));
}

#[test]
fn retry_after_is_honoured_within_reason() {
    let asked = |seconds| Failure::Status {
        status: 503,
        retry_after: Some(Duration::from_secs(seconds)),
        words: None,
    };
    let policy = Policy { max_retries: 3, time_limit: None };
    assert_eq!(pause_of(decide(&policy, &tries(1), asked(30), 0.5)), Duration::from_secs(30));
    assert_eq!(error(decide(&policy, &tries(1), asked(3600), 0.5)).code(), ErrorCode::Server);
}

#[test]
fn no_retry_begins_after_the_time_limit() {
    let late = Tries { elapsed: Duration::from_secs(99), ..tries(1) };
    let asked = Failure::Status { status: 503, retry_after: Some(Duration::from_secs(2)), words: None };
    assert_eq!(error(decide(&POLICY, &late, asked, 0.5)).attempts(), 1);
}

#[test]
fn a_lasting_network_failure_keeps_its_code() {
    for code in [ErrorCode::Unreachable, ErrorCode::TimedOut, ErrorCode::Interrupted, ErrorCode::Tls] {
        let failure = || Failure::Network { code, detail: "gone".to_owned() };
        pause_of(decide(&POLICY, &tries(3), failure(), 0.5));
        assert_eq!(error(decide(&POLICY, &tries(4), failure(), 0.5)).code(), code);
    }
}

#[test]
fn a_refusal_is_final() {
    let refusal = Failure::Refused(Error::new(ErrorCode::Changed, "changed"));
    assert_eq!(error(decide(&POLICY, &tries(1), refusal, 0.5)).code(), ErrorCode::Changed);
}

#[test]
fn the_servers_own_words_are_in_the_message() {
    let failure = Failure::Status { status: 403, retry_after: None, words: Some("Access Denied".to_owned()) };
    let message = error(decide(&POLICY, &tries(1), failure, 0.5)).to_string();
    assert_eq!(message, "the server denies access (HTTP 403, saying 'Access Denied')");
}
