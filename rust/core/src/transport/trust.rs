//! Which certificates a server's is checked against.

use std::ffi::OsString;
use std::path::PathBuf;

/// Certificates in place of libcurl's own choice, which stands where there are none.
///
/// That choice is where the system keeps them. A libcurl of the system knows that since it was built; one
/// inside remfile (feature `static-curl`) has the curl crate look in the places known from many systems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trust {
    /// Certificates one after the other (PEM).
    pub(crate) file: Option<PathBuf>,
    /// One certificate a file, named by OpenSSL's hash of its subject.
    pub(crate) folder: Option<PathBuf>,
}

impl Trust {
    /// The option `ca_file`, else what the environment says: `CURL_CA_BUNDLE`, else `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR`, as the program curl reads them. libcurl itself reads none of them.
    pub(crate) fn choose(ca_file: &str, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if !ca_file.is_empty() {
            return Self { file: Some(ca_file.into()), folder: None };
        }
        match path("CURL_CA_BUNDLE") {
            Some(file) => Self { file: Some(file), folder: None },
            None => Self { file: path("SSL_CERT_FILE"), folder: path("SSL_CERT_DIR") },
        }
    }
}

#[cfg(test)]
mod tests;
