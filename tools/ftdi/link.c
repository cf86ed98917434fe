#include "link.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

bool sdsim_link_fail(struct sdsim_link *link, enum sdsim_link_fault fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(link->error, sizeof link->error, format, arguments);
    va_end(arguments);
    link->fault = fault;
    return false;
}

bool sdsim_link_submit(struct sdsim_link *link, const uint8_t *out, size_t out_count,
                       size_t in_count)
{
    if (link->fault != SDSIM_LINK_FINE) {
        return false;
    }
    link->counters.batches++;
    link->counters.bytes_out += out_count;
    link->counters.round_trips += link->answered ? 1 : 0;
    link->answered = false;
    link->expected += in_count;
    return link->class->submit(link, out, out_count, in_count);
}

bool sdsim_link_collect(struct sdsim_link *link, uint8_t *in, size_t count, sdsim_ps patience)
{
    if (link->fault != SDSIM_LINK_FINE) {
        return false;
    }
    assert(count <= link->expected);
    if (count == 0) {
        return true;
    }
    if (!link->class->collect(link, in, count, patience)) {
        return false;
    }
    link->expected -= count;
    link->counters.bytes_in += count;
    return true;
}

bool sdsim_link_ask(struct sdsim_link *link, const uint8_t *out, size_t out_count, uint8_t *in,
                    size_t in_count, sdsim_ps patience)
{
    return sdsim_link_submit(link, out, out_count, in_count) &&
           sdsim_link_collect(link, in, in_count, patience);
}

bool sdsim_link_recover(struct sdsim_link *link)
{
    if (!sdsim_link_may_recover(link)) {
        return false;
    }
    link->counters.recoveries++;
    link->expected = 0;
    link->answered = false;
    if (!link->class->recover(link)) { /* it sees the fault, and leaves one of its own */
        return false;
    }
    link->fault = SDSIM_LINK_FINE;
    link->error[0] = '\0';
    return true;
}

void sdsim_link_close(struct sdsim_link *link)
{
    if (link != NULL) {
        link->class->close(link);
    }
}

sdsim_ps sdsim_link_host_time(struct sdsim_link *link)
{
    return link->class->host_time(link);
}
