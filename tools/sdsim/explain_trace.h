/*
 * A trace as a subject of `explain`: read once into memory, replayed as often as it takes.
 */
#ifndef SDSIM_TOOLS_EXPLAIN_TRACE_H
#define SDSIM_TOOLS_EXPLAIN_TRACE_H

#include "session.h"
#include "setup/replay.h"
#include "setup/subject.h"
#include "trace/trace_list.h"

struct sdsim_explain_trace {
    struct sdsim_cli_session *session;
    const struct sdsim_arguments *arguments;
    struct sdsim_trace trace;
    struct sdsim_trace_options trace_options;
    struct sdsim_replay_options options;
    struct sdsim_trace_list list;
    const struct sdsim_run *run;
    bool files; /* of file operations */
};

/* Reads the trace that is the first operand and finds what it is replayed on (replay_setup.h). False
 * with messages in the session. sdsim_explain_trace_close takes both. */
bool sdsim_explain_trace_open(struct sdsim_explain_trace *trace, struct sdsim_cli_session *session,
                              const struct sdsim_arguments *arguments);
void sdsim_explain_trace_close(struct sdsim_explain_trace *trace);

struct sdsim_subject sdsim_explain_trace_subject(struct sdsim_explain_trace *trace);

#endif
