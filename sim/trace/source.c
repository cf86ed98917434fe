#include "trace/source.h"

#include <stdlib.h>

void *sdsim_trace_source_new(struct sdsim_input *input, size_t size, struct sdsim_trace_info **info)
{
    void *source = calloc(1, size);
    *info = sdsim_trace_info_new();
    if (source == NULL || *info == NULL) {
        sdsim_error(sdsim_input_diags(input), sdsim_input_name(input), "out of memory");
        sdsim_input_close(input);
        sdsim_trace_info_free(*info);
        free(source);
        return NULL;
    }
    return source;
}
