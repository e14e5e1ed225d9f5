/* remfile/remfile_vfd.h as strict C99, with every name in it used. Compiled, never run. */
#include <remfile/remfile_vfd.h>

herr_t use_the_whole_header(hid_t fapl);

static int fresh_url(void *user, char *url, size_t size) {
    return user != NULL && url != NULL && size > 0 ? -1 : 0;
}

herr_t use_the_whole_header(hid_t fapl) {
    static const char name[] = H5FD_REMFILE_NAME;
    H5FD_remfile_config_t config;

    H5FD_remfile_config_init(&config);
    config.min_chunk_size = (size_t)100 * 1024;
    config.max_cache_size = (size_t)1000000000;
    config.max_chunk_size = config.min_chunk_size * 4;
    config.verbose = H5FD_REMFILE_VALUE == 566;
    config.head_size = (size_t)1 << 20;
    config.read_ahead = -1;
    config.hints = -1;
    config.complete_small_files = -1;
    config.max_connections = 4;
    config.connect_timeout_ms = 1000L;
    config.stall_timeout_ms = 1000L;
    config.read_timeout_ms = -1L;
    config.max_retries = -1;
    config.user_agent = name;
    config.ca_file = NULL;
    config.verify_tls = -1;
    config.proxy = "";
    config.http2 = -1;
    config.local_links = 1;
    config.authorization = name;
    config.username = name;
    config.password = name;
    config.headers = name;
    config.cookies = name;
    config.cookie_file = name;
    config.netrc = 1;
    config.credentials_host = name;
    config.max_whole_file = -1L;
    config.s3_region = name;
    config.s3_endpoint = name;
    config.s3_path_style = 1;
    config.s3_requester_pays = 1;
    config.s3_anonymous = 1;
    config.refresh_url = fresh_url;
    config.refresh_user = &config;
    if (H5FD_remfile_init() == H5I_INVALID_HID)
        return -1;
    return H5Pset_fapl_remfile(fapl, &config);
}
