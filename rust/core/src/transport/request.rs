//! One range request as libcurl wants to be told. Every option of every request is set here.

use std::ffi::CString;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use curl::easy::{Easy2, HttpVersion, List, NetRc};

use crate::floor::range::ByteRange;
use crate::floor::url::RemoteUrl;
use crate::transport::answer::Answer;
use crate::transport::origin::Origin;
use crate::transport::s3::S3;
use crate::transport::{libcurl_version, spares};

/// The body of a GET. Older versions of libcurl do not say it themselves, and S3 insists.
const SHA256_OF_NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// libcurl's receive buffer: at its default of 16 KiB the system calls cost more than the copying.
const RECEIVE_BUFFER_BYTES: usize = 256 * 1024;

/// libcurl below this, once a host has spoken HTTP/2, may put a request beside others also on a connection of HTTP/1.1,
/// and the answers get mixed up (curl issue 4885).
const LEAST_VERSION: u32 = 0x08_05_00;

/// Whether the libcurl in use can be trusted with HTTP/2.
pub(crate) fn speaks_http2() -> bool {
    static SPEAKS: OnceLock<bool> = OnceLock::new();
    *SPEAKS.get_or_init(|| {
        let version = curl::Version::get();
        version.feature_http2() && version.version_num() >= LEAST_VERSION
    })
}

/// On which connection a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    /// An open one if there is one.
    Any,
    /// A new one.
    Fresh,
    /// An open one of HTTP/2, beside others.
    Shared,
}

/// A GET of `range` from `url` with what is in the `jar`, ready to be added to the multi handle.
pub(crate) fn prepare(
    answer: Answer,
    origin: &Origin,
    url: &RemoteUrl,
    jar: &[String],
    range: ByteRange,
    connection: Connection,
    http2: bool,
) -> Result<Easy2<Answer>, curl::Error> {
    let options = &origin.options;
    let mut easy = Easy2::new(answer);
    easy.url(url.wire())?;
    let signed = url.region().is_some() && origin.credentials.s3().is_some_and(|s3| s3.keys.is_some());
    // Newer versions of libcurl (8.22, for one) sign no path as it is. Without dot segments that makes no difference.
    easy.path_as_is(!signed || has_dot_segments(url.wire()))?;
    easy.get(true)?;
    easy.range(&format!("{}-{}", range.start(), range.end().saturating_sub(1)))?;
    let mut headers = List::new();
    // Ranges count the bytes of the coded form, so there must be none.
    headers.append("Accept-Encoding: identity")?;
    if let Some(own) = origin.credentials.for_url(url) {
        for line in &own.headers {
            headers.append(line)?;
        }
        if let Some((name, password)) = &own.basic {
            easy.username(name)?;
            easy.password(password)?;
        }
        if !own.cookies.is_empty() {
            easy.cookie(&own.cookies)?;
        }
    }
    if let (Some(region), Some(s3)) = (url.region(), origin.credentials.s3()) {
        sign(&mut easy, &mut headers, region, s3)?;
    }
    easy.http_headers(headers)?;
    if let Some(file) = origin.credentials.netrc() {
        use_netrc(&mut easy, file)?;
    }
    // An empty name switches libcurl's cookies on; it keeps each to its host.
    easy.cookie_file(origin.credentials.cookie_file().unwrap_or(Path::new("")))?;
    for cookie in jar {
        easy.cookie_list(cookie)?;
    }
    easy.useragent(if options.user_agent.is_empty() { default_user_agent() } else { &options.user_agent })?;
    easy.http_version(if http2 { HttpVersion::V2TLS } else { HttpVersion::V11 })?;
    easy.http_09_allowed(false)?;
    easy.fresh_connect(connection == Connection::Fresh)?;
    // Redirects are ours to follow: libcurl would take custom headers along to another host.
    easy.follow_location(false)?;
    allow_http_only(&easy)?;
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

/// Whether libcurl would shorten the path of `url`.
fn has_dot_segments(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.split('/').any(|part| matches!(part.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | ".."))
}

/// Has libcurl sign the request as S3 wants it, all headers included.
fn sign(easy: &mut Easy2<Answer>, headers: &mut List, region: &str, s3: &S3) -> Result<(), curl::Error> {
    if s3.requester_pays {
        headers.append("x-amz-request-payer: requester")?;
    }
    let Some(keys) = &s3.keys else { return Ok(()) };
    headers.append(&format!("x-amz-content-sha256: {SHA256_OF_NOTHING}"))?;
    if !keys.session_token.is_empty() {
        headers.append(&format!("x-amz-security-token: {}", keys.session_token))?;
    }
    easy.username(&keys.id)?;
    easy.password(&keys.secret)?;
    easy.aws_sigv4(&format!("aws:amz:{region}:s3"))
}

fn use_netrc(easy: &mut Easy2<Answer>, file: &Path) -> Result<(), curl::Error> {
    easy.netrc(NetRc::Optional)?;
    let file = CString::new(file.to_string_lossy().as_bytes())?;
    // SAFETY: the handle is valid, and libcurl copies the text (curl_easy_setopt(3)).
    let code = unsafe { curl_sys::curl_easy_setopt(easy.raw(), curl_sys::CURLOPT_NETRC_FILE, file.as_ptr()) };
    if code == curl_sys::CURLE_OK { Ok(()) } else { Err(curl::Error::new(code)) }
}

/// Keeps libcurl from anything but HTTP, whatever else it was built with.
fn allow_http_only(easy: &Easy2<Answer>) -> Result<(), curl::Error> {
    let allowed = std::ffi::c_long::from(curl_sys::CURLPROTO_HTTP | curl_sys::CURLPROTO_HTTPS);
    // SAFETY: the handle is valid and the option takes a long (curl_easy_setopt(3)).
    let code = unsafe { curl_sys::curl_easy_setopt(easy.raw(), curl_sys::CURLOPT_PROTOCOLS, allowed) };
    if code == curl_sys::CURLE_OK { Ok(()) } else { Err(curl::Error::new(code)) }
}

fn default_user_agent() -> &'static str {
    static AGENT: OnceLock<String> = OnceLock::new();
    AGENT.get_or_init(|| format!("remfile/{} libcurl/{}", env!("CARGO_PKG_VERSION"), libcurl_version()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_segments_are_seen_in_paths_only() {
        for url in ["https://h/a/../b", "https://h/./b", "https://h/a/%2E%2e/b?x", "https://h/a/.."] {
            assert!(has_dot_segments(url), "{url}");
        }
        for url in ["https://h.x/a.b/..c/d..", "https://h/a?b=/../c", "https://h/...", "https://h/a#/./"] {
            assert!(!has_dot_segments(url), "{url}");
        }
    }
}
