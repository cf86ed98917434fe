#include "ftdi/pipe_link.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct pipe_link {
    struct sdsim_link link;
    int socket;
};

struct request {
    uint64_t out_count;
    uint64_t in_count;
};

static bool send_all(int socket, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count > 0) {
        const ssize_t sent = send(socket, at, count, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        at += sent;
        count -= (size_t)sent;
    }
    return true;
}

static bool take_all(int socket, void *bytes, size_t count)
{
    char *at = bytes;
    while (count > 0) {
        const ssize_t got = read(socket, at, count);
        if (got <= 0) {
            return false;
        }
        at += got;
        count -= (size_t)got;
    }
    return true;
}

/* ---- client ---- */

static bool submit(struct sdsim_link *link, const uint8_t *out, size_t out_count, size_t in_count)
{
    const struct pipe_link *self = (struct pipe_link *)link;
    const struct request request = {out_count, in_count};
    if (!send_all(self->socket, &request, sizeof request) ||
        !send_all(self->socket, out, out_count)) {
        return sdsim_link_fail(link, SDSIM_LINK_UNPLUGGED, "the chip is gone");
    }
    return true;
}

static bool collect(struct sdsim_link *link, uint8_t *in, size_t count, sdsim_ps patience)
{
    const struct pipe_link *self = (struct pipe_link *)link;
    (void)patience;
    return take_all(self->socket, in, count) ||
           sdsim_link_fail(link, SDSIM_LINK_UNPLUGGED, "the chip is gone");
}

static bool recover(struct sdsim_link *link)
{
    return sdsim_link_fail(link, SDSIM_LINK_UNPLUGGED, "the chip is gone");
}

static void close_link(struct sdsim_link *link)
{
    close(((struct pipe_link *)link)->socket);
    free(link);
}

static sdsim_ps host_time(struct sdsim_link *link)
{
    return link->counters.batches * SDSIM_US;
}

struct sdsim_link *sdsim_pipe_link(int socket, const struct sdsim_ftdi_chip *chip)
{
    static const struct sdsim_link_class class = {.submit = submit,
                                                  .collect = collect,
                                                  .recover = recover,
                                                  .close = close_link,
                                                  .host_time = host_time};
    struct pipe_link *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->link.class = &class;
    self->link.chip = chip;
    self->socket = socket;
    return &self->link;
}

/* ---- server ---- */

/* One batch; false: no memory, or the client is gone. */
static bool serve_one(int socket, struct sdsim_link *link, const struct request *request)
{
    uint8_t *out = malloc(request->out_count + 1);
    uint8_t *in = malloc(request->in_count + 1);
    const bool fine =
        out != NULL && in != NULL && take_all(socket, out, request->out_count) &&
        sdsim_link_ask(link, out, request->out_count, in, request->in_count, SDSIM_LINK_PATIENCE) &&
        send_all(socket, in, request->in_count);
    free(out);
    free(in);
    return fine;
}

/* A part of one, unanswered. */
static void serve_part(int socket, struct sdsim_link *link, const struct request *request,
                       unsigned quarters)
{
    uint8_t *out = malloc(request->out_count + 1);
    if (out != NULL && take_all(socket, out, request->out_count)) {
        (void)sdsim_link_submit(link, out, request->out_count * quarters / 4, request->in_count);
    }
    free(out);
}

bool sdsim_pipe_serve(int socket, struct sdsim_link *link, const struct sdsim_pipe_stop *stop)
{
    struct request request;
    for (uint64_t batch = 0; take_all(socket, &request, sizeof request); batch++) {
        if (batch == stop->batch) {
            serve_part(socket, link, &request, stop->quarters);
            return false;
        }
        if (!serve_one(socket, link, &request)) {
            return true;
        }
    }
    return true;
}
