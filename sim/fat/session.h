/*
 * A session: one volume and ten file handles that operations (fat/ops.h) are run on.
 *
 * What the operations write is generated content, a stream for each open, so that no session stores
 * file data.
 */
#ifndef SDSIM_FAT_SESSION_H
#define SDSIM_FAT_SESSION_H

#include "fat/file.h"
#include "fat/ops.h"
#include "fat/tree.h"

struct sdsim_session {
    struct sdsim_volume volume;
    struct sdsim_volume_config config;
    const struct sdsim_disk *disk; /* not owned */
    struct sdsim_file files[SDSIM_OPS_HANDLES];
    uint64_t streams[SDSIM_OPS_HANDLES]; /* seeds of what the handles write */
    uint64_t seed;                       /* of the next stream */
};

/* What an operation answered. */
enum sdsim_answer_kind {
    SDSIM_ANSWER_NONE,
    SDSIM_ANSWER_COUNT,    /* write, read: bytes done; seek: position reached, if not as asked */
    SDSIM_ANSWER_SIZE,     /* stat */
    SDSIM_ANSWER_ENTRIES,  /* list */
    SDSIM_ANSWER_CLUSTERS, /* free */
};

struct sdsim_answer {
    enum sdsim_fat_result result;
    enum sdsim_answer_kind kind;
    uint64_t value;
};

/* Nothing mounted, nothing open. The disk must outlive the session. */
void sdsim_session_init(struct sdsim_session *session, const struct sdsim_disk *disk,
                        const struct sdsim_volume_config *config, uint64_t seed);

/*
 * Runs an operation once (its repeat count is the caller's affair). `out` is for what a read brings
 * (as many bytes as it asks for), or NULL. Operations on a handle that is not open, and amounts
 * that are negative, give SDSIM_FAT_INVALID_OBJECT and SDSIM_FAT_INVALID_ARGUMENT.
 */
struct sdsim_answer sdsim_session_run(struct sdsim_session *session, const struct sdsim_op *op,
                                      sdsim_ps *now, void *out);

/* Drops what is open, without I/O. */
void sdsim_session_end(struct sdsim_session *session);

#endif
