use std::fmt;
use std::sync::Arc;

/// One request and what became of it; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The place among the requests since the start or the last reset, in
    /// order of arrival, from 1.
    pub sequence: u64,
    /// The connection that carried it. Connections are numbered from 1 at their
    /// first request that is not a control request; a reset does not renumber.
    pub connection: u64,
    /// `GET`, `HEAD` and so on.
    pub method: Arc<str>,
    /// The path as the client sent it, without the query.
    pub path: Arc<str>,
    /// What followed the question mark, as the client sent it; empty if nothing.
    pub query: Arc<str>,
    /// The range asked for, start and end (exclusive), not cut to the object's
    /// size. None if none was asked, if it made no sense, or if it depends on
    /// the size of an object that does not exist.
    pub range: Option<(u64, u64)>,
    /// The Range header as the client sent it.
    pub range_header: Option<Arc<str>>,
    /// The status of the answer, 0 if none was given.
    pub status: u16,
    /// The body bytes the socket took.
    pub bytes_sent: u64,
    /// When the request arrived, in microseconds since the server started.
    pub started: u64,
    /// When the answer ended, in microseconds since the server started: just
    /// before its last bytes went to the socket, so that a request the client
    /// makes in reaction never seems to have started earlier.
    pub ended: u64,
    /// The request's headers, names in lower case.
    pub headers: Arc<[(String, String)]>,
}

impl Entry {
    /// The value of the header of that name (in lower case), the first if there
    /// are several.
    pub fn header(&self, name: &str) -> Option<&str> {
        let pair = self.headers.iter().find(|(key, _)| key == name)?;
        Some(&pair.1)
    }

    /// The heading of the lines that `Display` makes.
    pub(crate) const HEADING: &str = "sequence\tconnection\tmethod\tpath\tquery\trange_start\t\
         range_end\trange_header\tstatus\tbytes_sent\tstarted\tended\theaders\n";
}

/// One line, columns separated by tabs; `-` stands for nothing. The headers come
/// last, a column `name: value` for each.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = match self.range {
            Some((start, end)) => (start.to_string(), end.to_string()),
            None => ("-".into(), "-".into()),
        };
        let columns = [
            self.sequence.to_string(),
            self.connection.to_string(),
            column(&self.method),
            column(&self.path),
            column(&self.query),
            start,
            end,
            column(self.range_header.as_deref().unwrap_or_default()),
            self.status.to_string(),
            self.bytes_sent.to_string(),
            self.started.to_string(),
            self.ended.to_string(),
        ];
        f.write_str(&columns.join("\t"))?;
        for (name, value) in self.headers.iter() {
            write!(f, "\t{name}: {}", value.replace('\t', " "))?;
        }
        Ok(())
    }
}

fn column(text: &str) -> String {
    match text {
        "" => "-".into(),
        _ => text.replace('\t', " "),
    }
}
