// How a remote file is fetched and cached. See the options table in README.md.
#ifndef REMFILE_OPTIONS_HPP
#define REMFILE_OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <remfile/export.h>

namespace remfile {

// One set of options behind every face of remfile: the string form ("key=value, key=value"), the
// Rust struct and this one have the same names, units and defaults. Values out of bounds are
// refused when a file is opened, with ErrorCode::invalid_option.
//
// Names end in _size for bytes and _ms for milliseconds. A plain value; copy it freely.
struct Options {
    // Bytes: a read of which nothing is known fetches multiples of this; what is known exactly, as chunks
    // are, comes in blocks of a tenth of it. 1 KiB to 1 GiB.
    std::uint64_t min_chunk_size = 100 * 1024;
    // Bound of the memory that cached blocks take, per open file. At least one block is kept.
    std::uint64_t max_cache_size = 1'000'000'000;
    // A single range request never asks for more than this, nor does read-ahead. At least one block.
    std::uint64_t max_chunk_size = 100 * 1024 * 1024;
    // Log every request to stderr. The environment variable REMFILE_LOG=FILE logs to a file instead.
    bool verbose = false;
    // How much of the file's head the first request brings (it also brings the size).
    std::uint64_t head_size = 500 * 1024;
    // Fetch ahead of sequential reads.
    bool read_ahead = true;
    // Learn from the HDF5 metadata passing by what will be read next, and fetch that in parallel.
    bool hints = true;
    // Fetch the rest of a file of at most 100 MiB once waiting has cost as much as that would.
    bool complete_small_files = true;
    // Most connections in use at once for this file's host; all files of a process share them.
    std::uint32_t max_connections = 16;
    // Limit for connecting, name look-up and TLS included.
    std::uint64_t connect_timeout_ms = 10'000;
    // A request that receives nothing, or less than 1 kB a second, for this long is given up and tried again.
    std::uint64_t stall_timeout_ms = 20'000;
    // Limit for opening, and for one read, with all retries; 0 means none.
    std::uint64_t read_timeout_ms = 300'000;
    // How often a request that failed for a passing reason is tried again.
    std::uint32_t max_retries = 6;
    // Sent as User-Agent. Empty means "remfile/VERSION libcurl/VERSION".
    std::string user_agent;
    // File of trusted certificates (PEM). Empty means what the environment names (CURL_CA_BUNDLE, or
    // SSL_CERT_FILE and SSL_CERT_DIR), else the machine's.
    std::string ca_file;
    // Check the server's certificate. Switching it off makes https worth nothing.
    bool verify_tls = true;
    // Proxy URL. Empty means what the environment says (https_proxy, http_proxy, no_proxy).
    std::string proxy;
    // Use HTTP/2 with https servers that have it. Switch it off behind a proxy that breaks it.
    bool http2 = true;
    // Links out of a remote HDF5 file, and its virtual datasets, may lead to files of this machine. Then
    // who wrote the remote file has a say in which of your files are read.
    bool local_links = false;

    // Credentials. They go to the host they are for and to no other, wherever redirects lead, and are in
    // no log, error or statistics; to_string has them.

    // Value of the Authorization header, "Bearer ..." or "token ..." for example. Not over plain http,
    // but to this machine itself.
    std::string authorization;
    // Name for basic authentication; for s3:// the access key.
    std::string username;
    // The name's password; for s3:// the access key's secret.
    std::string password;
    // Further request headers, "Name: value", one a line.
    std::string headers;
    // Cookies to send, "name=value; name=value".
    std::string cookies;
    // File of cookies of many hosts, in Netscape's format.
    std::string cookie_file;
    // Take names and passwords of hosts from the file that NETRC names in the environment, or ~/.netrc.
    bool netrc = false;
    // The one host, "https://host:port", that authorization, username, password, headers and cookies are
    // for. Empty means that of the URL.
    std::string credentials_host;

    // Servers without byte ranges, and s3://bucket/key.

    // A file of at most so many bytes is taken whole from a server without byte ranges; 0 refuses such
    // servers.
    std::uint64_t max_whole_file = 16 * 1024 * 1024;
    // s3://: region of the bucket. Empty means AWS_REGION and the like, else us-east-1 (the server corrects
    // it).
    std::string s3_region;
    // s3://: URL of a service other than Amazon's. Empty means AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL.
    std::string s3_endpoint;
    // s3://: address buckets by path also on Amazon, not by host name.
    bool s3_path_style = false;
    // s3://: agree to pay for the requests.
    bool s3_requester_pays = false;
    // s3://: sign nothing, even where there are credentials.
    bool s3_anonymous = false;

    // Reads "key=value" pairs separated by commas, semicolons or line ends, over the defaults.
    // A value with such a character in it stands in double quotes. Sizes take KiB, MiB and GiB,
    // switches 1/0, true/false, yes/no, on/off. Throws Error (invalid_option) that names the key
    // and what is known.
    REMFILE_API static Options parse(std::string_view text);

    // The inverse of parse: every option, in the order above. Throws Error where a text is not UTF-8.
    REMFILE_API std::string to_string() const;
};

} // namespace remfile

#endif
