#include "file_drivers.h"

#if !defined(REMFILE_LOCAL_ONLY) && !defined(REMFILE_BY_PLUGIN)
#include "remfile/remfile_vfd.h"
#endif

static herr_t set_memory(hid_t fapl) { return H5Pset_fapl_core(fapl, (size_t)1 << 20, 0); }

const struct file_driver local_driver = {"sec2", H5Pset_fapl_sec2, ERRORS_MUST_EQUAL};
const struct file_driver buffered_driver = {"stdio", H5Pset_fapl_stdio, ERRORS_MAY_BE_CUT};
const struct file_driver memory_driver = {"core", set_memory, ERRORS_MUST_EQUAL};

#ifndef REMFILE_LOCAL_ONLY
#ifdef REMFILE_BY_PLUGIN
static herr_t set_remote(hid_t fapl) { return H5Pset_driver_by_name(fapl, "remfile", NULL); }
#else
static herr_t set_remote(hid_t fapl) { return H5Pset_fapl_remfile(fapl, NULL); }
#endif

const struct file_driver remote_driver = {"remfile", set_remote, ERRORS_MUST_EQUAL};
#endif
