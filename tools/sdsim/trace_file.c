#include "trace_file.h"

#include <string.h>
#include <sys/stat.h>

#include "trace/binary.h"
#include "trace/blocks_text.h"

static const struct {
    const char *word;
    enum sdsim_trace_form form;
} forms[] = {
    {"blocks", SDSIM_FORM_BLOCKS}, {"sdt", SDSIM_FORM_SDT},     {"binary", SDSIM_FORM_SDT},
    {"zst", SDSIM_FORM_ZST},       {"sdt.zst", SDSIM_FORM_ZST}, {"ops", SDSIM_FORM_OPS},
};

enum sdsim_trace_form sdsim_trace_form(const char *word, const char *path)
{
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;
    const char *text = word != NULL ? word : dot != NULL ? dot + 1 : "";
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(forms[i].word, text) == 0) {
            return forms[i].form;
        }
    }
    return SDSIM_FORM_UNKNOWN;
}

struct sdsim_block_sink *sdsim_trace_form_sink(enum sdsim_trace_form form, FILE *out)
{
    switch (form) {
    case SDSIM_FORM_BLOCKS:
        return sdsim_blocks_text_sink(out);
    case SDSIM_FORM_SDT:
        return sdsim_binary_sink(out);
    case SDSIM_FORM_ZST:
        return sdsim_binary_sink_zstd(out);
    default:
        return NULL;
    }
}

/* ---- reading ---- */

static void report_unknown(const char *name, struct sdsim_diags *diags)
{
    char help[300] = "the formats are";
    size_t used = strlen(help);
    for (size_t i = 0; sdsim_trace_format_at(i) != NULL && used < sizeof help; i++) {
        used += (size_t)snprintf(help + used, sizeof help - used, "%s %s", i > 0 ? "," : "",
                                 sdsim_trace_format_at(i)->name);
    }
    sdsim_diag_add(diags, SDSIM_ERROR, NULL, NULL, 0, help, "there is no format '%s'", name);
}

/* Whether it can be read twice; "-" can't, even where a file has that name. */
static bool is_regular(const char *path)
{
    struct stat status;
    return strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Reads a log with several hosts once to find out which has most calls. */
static void find_busiest(const char *path, const struct sdsim_trace_format *format,
                         const struct sdsim_trace_options *options, char *name, size_t size)
{
    struct sdsim_diags unheard;
    struct sdsim_trace trace;
    sdsim_diags_init(&unheard);
    struct sdsim_input *input = sdsim_input_open(path, &unheard);
    if (input != NULL && sdsim_trace_open(&trace, input, format, options)) {
        struct sdsim_block_record records[256];
        while (trace.blocks->next(trace.blocks, records, 256) > 0) {
        }
        const struct sdsim_log *log = (const struct sdsim_log *)trace.blocks;
        uint64_t most = 0;
        for (size_t i = 0; i < log->host_count; i++) {
            if (log->hosts[i].calls > most) {
                most = log->hosts[i].calls;
                snprintf(name, size, "%s", log->hosts[i].name);
            }
        }
        if (log->host_count > 1) {
            fprintf(stderr, "note: %s: taken: host %s, the busiest of %zu; --host takes another\n",
                    path, name, log->host_count);
        }
        sdsim_trace_close(&trace);
    }
    sdsim_diags_free(&unheard);
}

bool sdsim_trace_file_open(struct sdsim_trace *trace, const struct sdsim_arguments *arguments,
                           const char *path, struct sdsim_trace_options *options,
                           struct sdsim_diags *diags)
{
    const char *from = arguments->values[SDSIM_OPTION_FROM];
    const struct sdsim_trace_format *format = from != NULL ? sdsim_trace_format_find(from) : NULL;
    if (from != NULL && format == NULL) {
        report_unknown(from, diags);
        return false;
    }
    *options = (struct sdsim_trace_options){
        .host = arguments->values[SDSIM_OPTION_LOG_HOST],
        .file = arguments->values[SDSIM_OPTION_LOG_FILE],
    };
    struct sdsim_input *input = sdsim_input_open(path, diags);
    if (input == NULL) {
        return false;
    }
    if (format == NULL) {
        format = sdsim_trace_format_detect(input);
    }
    if (format != NULL && format->has_hosts && options->host == NULL && is_regular(path)) {
        find_busiest(path, format, options, options->found, sizeof options->found);
        options->host = options->found[0] != '\0' ? options->found : NULL;
    }
    return sdsim_trace_open(trace, input, format, options);
}

/* ---- traces without calls ---- */

void sdsim_trace_file_tell_empty(const struct sdsim_trace *trace,
                                 const struct sdsim_arguments *arguments, const char *path,
                                 enum sdsim_severity severity, struct sdsim_diags *diags)
{
    const struct sdsim_place place = {.file = path};
    const char *file = arguments->values[SDSIM_OPTION_LOG_FILE];
    const char *format = trace->format != NULL ? trace->format->name : "";
    char text[300] = "";
    char help[200] = "";
    if (trace->blocks != NULL && trace->blocks->instead != NULL) {
        trace->blocks->instead(trace->blocks, text, sizeof text, help, sizeof help);
    } else if (file != NULL) {
        snprintf(text, sizeof text, "nothing of the file '%.200s'", file);
        snprintf(help, sizeof help, "leave --file out to take all files");
    } else if (strcmp(format, "sdtrace") == 0) {
        snprintf(help, sizeof help, "--from sdtrace-files takes its file calls");
    } else if (strcmp(format, "sdtrace-files") == 0) {
        snprintf(help, sizeof help, "--from sdtrace takes its block calls");
    }
    sdsim_diag_add(diags, severity, &place, NULL, 0, help[0] != '\0' ? help : NULL,
                   "there is not one call in it%s%s", text[0] != '\0' ? ", but " : "", text);
}
