//! The program around the server.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Output, Stdio};

use support::Client;

/// A program that is stopped with the test, whatever happens.
struct Program {
    child: Child,
    stdout: BufReader<std::process::ChildStdout>,
    address: SocketAddr,
}

impl Program {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_remfile-test-server"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.strip_prefix("listening on http://").unwrap().trim_end();
        let address = address.parse().unwrap();
        Self { child, stdout, address }
    }

    /// Waits for the end: whether it was a success, and what else was printed.
    fn finish(mut self) -> (bool, String) {
        let success = self.child.wait().unwrap().success();
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        (success, rest)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_remfile-test-server")).args(arguments).output().unwrap()
}

#[test]
fn it_prints_where_it_listens_and_serves_until_it_is_shut_down() {
    let program = Program::start(&["--root", env!("CARGO_MANIFEST_DIR")]);
    let mut client = Client::connect(program.address);
    let answer = client.request("GET", "/files/Cargo.toml", &[]).unwrap();
    assert_eq!(answer.text(), include_str!("../Cargo.toml"));
    client.request("POST", "/_shutdown", &[]).unwrap();
    let address = program.address;
    assert_eq!(program.finish(), (true, String::new()));
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn it_stops_when_it_is_terminated() {
    for signal in ["TERM", "INT"] {
        let program = Program::start(&[]);
        let id = program.child.id().to_string();
        let kill = format!("kill -{signal} {id}");
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        assert_eq!(program.finish(), (true, String::new()));
    }
}

#[test]
fn it_stops_with_its_parent_when_asked_to() {
    let mut program = Program::start(&["--exit-with-parent"]);
    let mut client = Client::connect(program.address);
    assert_eq!(client.request("GET", "/bytes/1", &[]).unwrap().status, 200);
    drop(program.child.stdin.take());
    assert_eq!(program.finish(), (true, String::new()));
}

#[test]
fn it_explains_every_knob() {
    let output = run(&["--help"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(remfile_test_server::KNOBS.trim_end()), "{text}");
    assert!(text.contains("--rate-per-connection"));
}

#[test]
fn it_refuses_addresses_that_others_can_reach() {
    let output = run(&["--address", "0.0.0.0:0"]);
    assert!(!output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().contains("not a loopback address"));
}
