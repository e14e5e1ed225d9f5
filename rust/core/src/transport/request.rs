//! One range request as libcurl wants to be told. Every option of every request is set here.

use std::sync::OnceLock;
use std::time::Duration;

use curl::easy::{Easy2, HttpVersion, List};

use crate::floor::range::ByteRange;
use crate::transport::answer::Answer;
use crate::transport::origin::Origin;
use crate::transport::{libcurl_version, spares};

/// Redirects that are followed for one request.
const MAX_REDIRECTS: u32 = 10;
/// libcurl's receive buffer: at its default of 16 KiB the system calls cost more than the copying.
const RECEIVE_BUFFER_BYTES: usize = 256 * 1024;

/// On which connection a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    /// An open one if there is one.
    Any,
    /// A new one.
    Fresh,
}

/// A GET of `range`, ready to be added to the multi handle.
pub(crate) fn prepare(
    answer: Answer,
    origin: &Origin,
    range: ByteRange,
    connection: Connection,
) -> Result<Easy2<Answer>, curl::Error> {
    let options = &origin.options;
    let mut easy = Easy2::new(answer);
    easy.url(origin.url.wire())?;
    easy.get(true)?;
    easy.range(&format!("{}-{}", range.start(), range.end().saturating_sub(1)))?;
    let mut headers = List::new();
    // Ranges count the bytes of the coded form, so there must be none.
    headers.append("Accept-Encoding: identity")?;
    easy.http_headers(headers)?;
    easy.useragent(if options.user_agent.is_empty() { default_user_agent() } else { &options.user_agent })?;
    // One HTTP/2 connection is slower than several of HTTP/1.1, and libcurl would put all on one.
    easy.http_version(HttpVersion::V11)?;
    easy.http_09_allowed(false)?;
    easy.fresh_connect(connection == Connection::Fresh)?;
    easy.follow_location(true)?;
    easy.max_redirections(MAX_REDIRECTS)?;
    allow_protocols(&easy, origin.url.is_https())?;
    easy.connect_timeout(Duration::from_millis(options.connect_timeout_ms))?;
    easy.tcp_nodelay(true)?;
    easy.tcp_keepalive(true)?;
    easy.signal(false)?;
    easy.buffer_size(RECEIVE_BUFFER_BYTES)?;
    easy.ssl_verify_peer(options.verify_tls)?;
    easy.ssl_verify_host(options.verify_tls)?;
    if let Some(file) = &origin.trust.file {
        easy.cainfo(file)?;
    }
    if let Some(folder) = &origin.trust.folder {
        easy.capath(folder)?;
    }
    if !options.proxy.is_empty() {
        easy.proxy(&options.proxy)?;
    }
    spares::install(easy.raw(), &easy.get_ref().spares)?;
    Ok(easy)
}

/// Keeps libcurl from following a redirect out of HTTP, or from https to http.
fn allow_protocols(easy: &Easy2<Answer>, https_only: bool) -> Result<(), curl::Error> {
    let http = if https_only { 0 } else { curl_sys::CURLPROTO_HTTP };
    let allowed = std::ffi::c_long::from(http | curl_sys::CURLPROTO_HTTPS);
    for option in [curl_sys::CURLOPT_PROTOCOLS, curl_sys::CURLOPT_REDIR_PROTOCOLS] {
        // SAFETY: the handle is valid and both options take a long (curl_easy_setopt(3)).
        let code = unsafe { curl_sys::curl_easy_setopt(easy.raw(), option, allowed) };
        if code != curl_sys::CURLE_OK {
            return Err(curl::Error::new(code));
        }
    }
    Ok(())
}

fn default_user_agent() -> &'static str {
    static AGENT: OnceLock<String> = OnceLock::new();
    AGENT.get_or_init(|| format!("remfile/{} libcurl/{}", env!("CARGO_PKG_VERSION"), libcurl_version()))
}
