/*
 * remfile as an HDF5 Virtual File Driver, for C (C99) and C++.
 *
 *     hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
 *     H5Pset_fapl_remfile(fapl, NULL);
 *     hid_t file = H5Fopen("https://example.org/recording.nwb", H5F_ACC_RDONLY, fapl);
 *
 * Read-only. What fails is on the HDF5 error stack with its reason; nothing is printed. As thread-safe
 * as the libhdf5 it is used with.
 */
#ifndef REMFILE_VFD_H
#define REMFILE_VFD_H

#include <stddef.h>

#include <hdf5.h>

#include <remfile/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Name and class value of the driver, as in H5FD_class_t. */
#define H5FD_REMFILE_NAME "remfile"
#define H5FD_REMFILE_VALUE 566

/*
 * How to fetch and cache. Start from H5FD_remfile_config_init, then change what you need.
 *
 * In every field 0 (or NULL) means the default, which the README's options table gives with the
 * bounds. Where 0 would be a value of its own, a negative number stands for it.
 */
typedef struct H5FD_remfile_config_t {
    size_t min_chunk_size; /* bytes: unforeseen reads fetch so much at the least */
    size_t max_cache_size; /* most bytes of file data held in memory, per file */
    size_t max_chunk_size; /* most bytes that a single range request asks for */
    int verbose;           /* 1: log every request to stderr */

    size_t head_size;         /* bytes of the file's head that the first request brings */
    int read_ahead;           /* -1: do not fetch ahead of sequential reads */
    int hints;                /* -1: do not learn from metadata what will be read next */
    int complete_small_files; /* -1: do not fetch the rest of a small file early */
    int max_connections;      /* most connections at once */
    long connect_timeout_ms;  /* limit for connecting */
    long stall_timeout_ms;    /* a request that receives next to nothing for so long is tried again */
    long read_timeout_ms;     /* limit for opening, and for a read, with retries; -1: none */
    int max_retries;          /* retries of a request that failed for a passing reason; -1: none */
    const char *user_agent;   /* sent as User-Agent */
    const char *ca_file;      /* file of trusted certificates (PEM) */
    int verify_tls;           /* -1: do not check the server's certificate */
    const char *proxy;        /* proxy URL */
    int http2;                /* -1: do not use HTTP/2, even where the server has it */
    int local_links;          /* 1: links out of remote files may lead to files of this machine */

    const char *origin; /* remfile's own, of open files: leave it NULL */

    /* Credentials: sent to the host they are for and to no other, wherever redirects and links lead. */
    const char *authorization;    /* value of the Authorization header, "Bearer ..." for example */
    const char *username;         /* name for basic authentication; s3://: the access key */
    const char *password;         /* its password; s3://: the access key's secret */
    const char *headers;          /* further request headers, "Name: value", one a line */
    const char *cookies;          /* cookies to send, "name=value; name=value" */
    const char *cookie_file;      /* file of cookies of many hosts, in Netscape's format */
    int netrc;                    /* 1: names and passwords of hosts from $NETRC or ~/.netrc */
    const char *credentials_host; /* the host, "https://host:port", that these are for; NULL: the URL's */

    /* Servers without byte ranges, and s3://bucket/key. */
    long max_whole_file;   /* files up to so many bytes are taken whole where there are no ranges; -1: none */
    const char *s3_region; /* region of the bucket */
    const char *s3_endpoint; /* URL of a service other than Amazon's */
    int s3_path_style;       /* 1: buckets by path also on Amazon */
    int s3_requester_pays;   /* 1: agree to pay for the requests */
    int s3_anonymous;        /* 1: sign nothing, even where there are credentials */

    /* Supplies a fresh URL when the file's own has expired (HTTP 401, 403, 410, or a 400 that says so), or
     * is NULL. It writes a URL of the same file, with a NUL at its end, to `url`, which has room for `size`
     * bytes, and returns 0; or it returns a negative value and may write why. It is called on the thread
     * that opens or reads, inside libhdf5, once for all that is refused together; it may open other files
     * but must not use this one. `refresh_user` is handed on; it must live as long as any file or property
     * list that has it. Targets of links do not get it. */
    int (*refresh_url)(void *refresh_user, char *url, size_t size);
    void *refresh_user;
} H5FD_remfile_config_t;

/* Fills `config` with the defaults: the first four fields with their values, the rest with 0. */
REMFILE_API void H5FD_remfile_config_init(H5FD_remfile_config_t *config);

/* Registers the driver with libhdf5, once however often it is called (and again after H5close).
 * Returns its identifier, which the library owns, or H5I_INVALID_HID. */
REMFILE_API hid_t H5FD_remfile_init(void);

/* Makes the file access property list `fapl_id` open files through this driver. `config` and its
 * strings are copied; NULL means the defaults. Returns a negative value on failure, with the reason on
 * the error stack. H5Pget_driver_info then gives a `const H5FD_remfile_config_t *`. */
REMFILE_API herr_t H5Pset_fapl_remfile(hid_t fapl_id, const H5FD_remfile_config_t *config);

#ifdef __cplusplus
}
#endif

#endif
