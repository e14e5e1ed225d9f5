//! Proxies, by option and by environment. The test server takes requests for any host.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use remfile::{Options, RemoteFile};
use support::{alone, log, options, read, server};

const ELSEWHERE: &str = "http://example.invalid/bytes/9000000";

#[test]
fn a_proxy_given_as_an_option_is_asked_for_every_range() {
    let proxy = server();
    let text = format!("proxy={}, complete_small_files=0, headers=\"X-Key: key\"", proxy.url(""));
    let file = RemoteFile::open(ELSEWHERE, &options(&text)).unwrap();
    read(&file, 5_000_000, 10).unwrap();
    let log = log(&proxy);
    assert_eq!(log.len(), 2);
    assert!(log.iter().all(|entry| entry.header("host") == Some("example.invalid")));
}

#[test]
fn the_environments_proxy_is_asked_but_for_the_hosts_it_excepts() {
    let proxy = server();
    let url = proxy.url("");
    let environment = [("http_proxy", url.as_str()), ("no_proxy", "127.0.0.1")];
    if !alone("the_environments_proxy_is_asked_but_for_the_hosts_it_excepts", &environment) {
        assert_eq!(log(&proxy)[0].header("host"), Some("example.invalid"));
        assert_eq!(log(&proxy).len(), 1);
        return;
    }
    RemoteFile::open(ELSEWHERE, &Options::default()).unwrap();
    RemoteFile::open(&proxy.url("bytes/1000"), &Options::default()).unwrap();
    assert_eq!(log(&proxy).len(), 1);
}
