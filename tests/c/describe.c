/* The file as a whole: superblock, creation properties, then everything below the root group. */
#include "description.h"

#include <inttypes.h>
#include <string.h>

static void describe_superblock(struct description *d, hid_t file) {
    H5F_info2_t info;

    memset(&info, 0, sizeof info);
    if (H5Fget_info2(file, &info) < 0) {
        emit_error_line(d, "  ", "H5Fget_info2");
        return;
    }
    emit(d, "  superblock version=%u size=%" PRIu64 " extension=%" PRIu64 "\n", info.super.version,
         (uint64_t)info.super.super_size, (uint64_t)info.super.super_ext_size);
    emit(d, "  free space version=%u metadata=%" PRIu64 " total=%" PRIu64 "\n", info.free.version,
         (uint64_t)info.free.meta_size, (uint64_t)info.free.tot_space);
    emit(d, "  shared messages version=%u header=%" PRIu64 " index=%" PRIu64 " heap=%" PRIu64 "\n",
         info.sohm.version, (uint64_t)info.sohm.hdr_size, (uint64_t)info.sohm.msgs_info.index_size,
         (uint64_t)info.sohm.msgs_info.heap_size);
}

/* Not H5Fget_eoa: it works only with drivers that support SWMR. */
static void describe_sizes(struct description *d, hid_t file) {
    hsize_t size = 0;
    hssize_t free_space = H5Fget_freespace(file);

    if (free_space < 0)
        emit_error_line(d, "  ", "H5Fget_freespace");
    if (H5Fget_filesize(file, &size) < 0)
        emit_error_line(d, "  ", "H5Fget_filesize");
    emit(d, "  file size=%" PRIu64 " free=%" PRId64 "\n", (uint64_t)size, (int64_t)free_space);
}

static void describe_file_properties(struct description *d, hid_t file) {
    hid_t plist = H5Fget_create_plist(file);
    hsize_t user_block = 0;
    size_t address = 0, length = 0;
    unsigned internal = 0, leaf = 0, chunks = 0, shared = 0;

    if (plist < 0) {
        emit_error_line(d, "  ", "H5Fget_create_plist");
        return;
    }
    if (H5Pget_userblock(plist, &user_block) < 0)
        emit_error_line(d, "  ", "H5Pget_userblock");
    if (H5Pget_sizes(plist, &address, &length) < 0)
        emit_error_line(d, "  ", "H5Pget_sizes");
    if (H5Pget_sym_k(plist, &internal, &leaf) < 0)
        emit_error_line(d, "  ", "H5Pget_sym_k");
    if (H5Pget_istore_k(plist, &chunks) < 0)
        emit_error_line(d, "  ", "H5Pget_istore_k");
    if (H5Pget_shared_mesg_nindexes(plist, &shared) < 0)
        emit_error_line(d, "  ", "H5Pget_shared_mesg_nindexes");
    emit(d, "  user block=%" PRIu64 " address size=%zu length size=%zu\n", (uint64_t)user_block, address,
         length);
    emit(d, "  B-tree ranks=%u,%u,%u shared message indexes=%u\n", internal, leaf, chunks, shared);
#if H5_VERSION_GE(1, 10, 1)
    H5F_fspace_strategy_t strategy = H5F_FSPACE_STRATEGY_FSM_AGGR;
    hbool_t persist = 0;
    hsize_t threshold = 0, page = 0;

    if (H5Pget_file_space_strategy(plist, &strategy, &persist, &threshold) < 0)
        emit_error_line(d, "  ", "H5Pget_file_space_strategy");
    if (H5Pget_file_space_page_size(plist, &page) < 0)
        emit_error_line(d, "  ", "H5Pget_file_space_page_size");
    emit(d, "  space strategy=%d persist=%d threshold=%" PRIu64 " page=%" PRIu64 "\n", (int)strategy,
         persist ? 1 : 0, (uint64_t)threshold, (uint64_t)page);
#endif
    H5Pclose(plist);
}

static int describe_open_file(struct description *d, hid_t file) {
    int result = DESCRIBE_OPENED;
    hid_t root;

    emit(d, "file\n");
    describe_superblock(d, file);
    describe_sizes(d, file);
    describe_file_properties(d, file);
    root = H5Oopen(file, "/", H5P_DEFAULT);
    if (root < 0) {
        emit_error_line(d, "  ", "H5Oopen");
    } else {
        describe_object(d, root, "/", 0);
        H5Oclose(root);
    }
    if (H5Fget_obj_count(file, H5F_OBJ_ALL) != 1) {
        fprintf(stderr, "describe_file: identifiers left open in %s\n", d->name);
        result = DESCRIBE_BROKEN;
    }
    if (H5Fclose(file) < 0)
        emit_error_line(d, "", "H5Fclose");
    return result;
}

static int describe_quietly(struct description *d, hid_t fapl) {
    hid_t file = H5Fopen(d->name, H5F_ACC_RDONLY, fapl);

    if (file >= 0)
        return describe_open_file(d, file);
    emit_error_line(d, "", "H5Fopen");
    return DESCRIBE_REFUSED;
}

int describe_file_counting(const char *name, hid_t fapl, FILE *out, struct describe_counts *counts) {
    struct description d;
    H5E_auto2_t print = NULL;
    void *print_data = NULL;
    int result;

    memset(&d, 0, sizeof d);
    d.out = out;
    d.name = name;
    H5Eget_auto2(H5E_DEFAULT, &print, &print_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    result = describe_quietly(&d, fapl);
    H5Eset_auto2(H5E_DEFAULT, print, print_data);
    text_table_free(&d.seen);
    text_table_free(&d.reference_names);
    if (counts != NULL)
        *counts = d.counts;
    if (fflush(out) != 0 || ferror(out)) {
        perror("describe_file");
        result = DESCRIBE_BROKEN;
    }
    return result;
}

int describe_file(const char *name, hid_t fapl, FILE *out) {
    return describe_file_counting(name, fapl, out, NULL);
}
