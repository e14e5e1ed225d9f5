//! What a user sees who asked for it: one line per request, on stderr or in a file.

use std::fs::{File, OpenOptions};
use std::io::Write;

/// Where log lines go; nowhere unless asked for.
pub(crate) enum Log {
    Off,
    Stderr,
    File(File),
}

impl Log {
    /// To the file named by `REMFILE_LOG` if that is set, else to stderr where `verbose`.
    ///
    /// A file that cannot be opened is no reason to fail the program: then stderr says so.
    pub(crate) fn new(verbose: bool) -> Self {
        let Some(path) = std::env::var_os("REMFILE_LOG").filter(|path| !path.is_empty()) else {
            return if verbose { Self::Stderr } else { Self::Off };
        };
        match OpenOptions::new().create(true).append(true).open(&path) {
            Ok(file) => Self::File(file),
            Err(error) => {
                let path = path.to_string_lossy();
                Self::Stderr.line(|| format!("cannot log to {path}: {error}"));
                Self::Stderr
            }
        }
    }

    /// Writes a line; `text` is only made where somebody listens.
    pub(crate) fn line(&self, text: impl FnOnce() -> String) {
        // One write a line keeps lines of several threads and processes whole. A log that cannot
        // be written must not fail the read.
        let write = |to: &mut dyn Write| {
            let line = format!("remfile: {}\n", text());
            let _ = to.write_all(line.as_bytes());
        };
        match self {
            Self::Off => {}
            Self::Stderr => write(&mut std::io::stderr()),
            Self::File(file) => {
                let mut file = file;
                write(&mut file);
            }
        }
    }
}
