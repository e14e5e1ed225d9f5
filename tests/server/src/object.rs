use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use percent_encoding::percent_decode_str;

use crate::content::Content;

/// The largest generated object: larger offsets do not fit a signed number.
const MAX_SIZE: u64 = i64::MAX as u64;

/// What a path names.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) content: Content,
    pub(crate) size: u64,
    /// The strong ETag, without the quotes.
    pub(crate) tag: String,
    pub(crate) modified: SystemTime,
    pub(crate) media_type: &'static str,
}

impl Object {
    /// The object at `path`, or a line that says why there is none.
    pub(crate) fn find(path: &str, root: Option<&Path>, seed: u64) -> Result<Self, String> {
        if let Some(rest) = path.strip_prefix("/bytes/") {
            let size = rest.split('/').next().unwrap_or_default();
            return Self::generated(size, seed);
        }
        if let Some(rest) = path.strip_prefix("/files/") {
            let root = root.ok_or("this server has no folder of files")?;
            let name = percent_decode_str(rest).decode_utf8_lossy();
            return Self::file(root, &name).ok_or_else(|| format!("there is no file {name}"));
        }
        Err(format!("there is nothing at {path}"))
    }

    fn generated(size: &str, seed: u64) -> Result<Self, String> {
        let size = size
            .parse()
            .ok()
            .filter(|size| *size <= MAX_SIZE)
            .ok_or_else(|| format!("{size} is not a size from 0 to {MAX_SIZE}"))?;
        Ok(Self {
            content: Content::Generated { seed },
            size,
            tag: tag((seed, size)),
            // Any fixed day will do: 2024-01-01.
            modified: UNIX_EPOCH + Duration::from_secs(1_704_067_200),
            media_type: "application/octet-stream",
        })
    }

    fn file(root: &Path, name: &str) -> Option<Self> {
        // Following links and `..` first shows where a name really leads.
        let path = root.join(name.trim_start_matches('/')).canonicalize().ok()?;
        if !path.starts_with(root) {
            return None;
        }
        // Asked before it is opened, because opening a pipe would wait.
        if !path.is_file() {
            return None;
        }
        let file = File::open(&path).ok()?;
        let metadata = file.metadata().ok()?;
        let size = metadata.len();
        let modified = metadata.modified().unwrap_or(UNIX_EPOCH);
        Some(Self {
            content: Content::File { file: Arc::new(file), size },
            size,
            tag: tag((name, size, modified)),
            modified,
            media_type: "application/octet-stream",
        })
    }

    /// The page of a site that wants one to log in.
    pub(crate) fn login_page() -> Self {
        let page = Bytes::from_static(include_bytes!("login.html"));
        Self {
            size: page.len() as u64,
            content: Content::Memory(page),
            tag: tag("login"),
            modified: UNIX_EPOCH + Duration::from_secs(1_704_067_200),
            media_type: "text/html; charset=utf-8",
        }
    }
}

/// The folder as names in it are compared with.
pub(crate) fn canonical_root(root: &Path) -> std::io::Result<PathBuf> {
    let root = root.canonicalize()?;
    // A file would be found missing only at the first request.
    std::fs::read_dir(&root)?;
    Ok(root)
}

fn tag(of: impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
