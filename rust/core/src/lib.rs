//! Read remote files over HTTP(S) by range requests, as if they were local.
//!
//! ```no_run
//! let file = remfile::RemoteFile::open("https://example.org/recording.nwb", &remfile::Options::default())?;
//! let mut head = [0; 512];
//! file.read(0, &mut head)?;
//! # Ok::<(), remfile::Error>(())
//! ```
//!
//! The rooms, each of which knows only those above it: `floor` (errors, ranges, options, URLs),
//! `transport` (HTTP through libcurl), `store` (cached blocks), `reader` (what to fetch when), `file`
//! (what a user holds). ARCHITECTURE.md has the tour.

mod file;
mod floor;
mod hints;
mod reader;
mod store;
mod transport;

pub use file::RemoteFile;
pub use file::piece::ReadPiece;
pub use file::stats::Stats;
pub use floor::error::{Error, ErrorCode, Result};
pub use floor::options::{Kind, OPTIONS, OptionSpec, Options};
pub use floor::range::ByteRange;
pub use hints::Kind as Content;
pub use transport::libcurl_version;
