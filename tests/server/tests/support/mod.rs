//! A plain HTTP/1.1 client that shows everything and hides nothing.

#![allow(dead_code, reason = "every test program uses a part of this")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use remfile_test_server::{Config, Server};

/// What came back for a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Whether the body was as long as the headers promised.
    pub(crate) whole: bool,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// A connection that is kept open.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        // A server that does nothing must fail a test rather than hang it.
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Self { stream: BufReader::new(stream) }
    }

    pub(crate) fn send(&mut self, method: &str, target: &str, headers: &[(&str, &str)]) {
        let mut request = format!("{method} {target} HTTP/1.1\r\nHost: test\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += "\r\n";
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
    }

    /// The status and the headers.
    pub(crate) fn read_head(&mut self) -> io::Result<Answer> {
        let status_line = self.read_line()?;
        let status = status_line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.read_line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap();
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        Ok(Answer { status, headers, body: Vec::new(), whole: true })
    }

    pub(crate) fn read_exact(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    /// Whether nothing comes for a while, and no end either.
    pub(crate) fn is_silent(&mut self) -> bool {
        let stream = self.stream.get_ref();
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let result = self.stream.read(&mut [0; 1]);
        result.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
    }

    /// Whether the server has closed the connection.
    pub(crate) fn is_closed(&mut self) -> bool {
        match self.stream.read(&mut [0; 1]) {
            Ok(count) => count == 0,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        }
    }

    pub(crate) fn request(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
    ) -> io::Result<Answer> {
        self.send(method, target, headers);
        let mut answer = self.read_head()?;
        let bodiless = method == "HEAD" || [204, 304].contains(&answer.status);
        if bodiless {
            return Ok(answer);
        }
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.whole = self.read_chunks(&mut answer.body)?;
        } else {
            let length: u64 = answer.header("content-length").unwrap().parse().unwrap();
            let read = (&mut self.stream).take(length).read_to_end(&mut answer.body)?;
            answer.whole = read as u64 == length;
        }
        Ok(answer)
    }

    fn read_chunks(&mut self, body: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            let Ok(line) = self.read_line() else {
                return Ok(false);
            };
            let count = usize::from_str_radix(&line, 16).unwrap();
            let start = body.len();
            body.resize(start + count, 0);
            self.stream.read_exact(&mut body[start..])?;
            assert_eq!(self.read_line()?, "");
            if count == 0 {
                return Ok(true);
            }
        }
    }

    fn read_line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let line = line.strip_suffix("\r\n").ok_or(ErrorKind::UnexpectedEof)?;
        Ok(line.to_owned())
    }
}

/// A server without files or limits.
pub(crate) fn start() -> Server {
    Server::start(Config::default()).unwrap()
}

/// Gets a target on a connection of its own.
pub(crate) fn get(server: &Server, target: &str) -> Answer {
    try_get(server, target, &[]).unwrap()
}

/// Gets a range of a target on a connection of its own.
pub(crate) fn get_range(server: &Server, target: &str, range: &str) -> Answer {
    try_get(server, target, &[("Range", range)]).unwrap()
}

pub(crate) fn try_get(server: &Server, target: &str, headers: &[(&str, &str)]) -> io::Result<Answer> {
    Client::connect(server.addr()).request("GET", target, headers)
}

/// The bytes `start..end` of generated content.
pub(crate) fn generated(seed: u64, start: u64, end: u64) -> Vec<u8> {
    let mut bytes = vec![0; (end - start) as usize];
    remfile_test_server::generated(seed, start, &mut bytes);
    bytes
}
