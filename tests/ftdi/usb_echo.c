/*
 * A program for test_ftdi_link.c: sends bytes that look random through a chip in loop-back, in batches of
 * SIZE bytes, DEPTH of them under way at once, COUNT in all, and checks that they come back. A batch
 * that fails is sent again, with all behind it. Prints what the link counted.
 *
 *     usb_echo SIZE DEPTH COUNT [lazy]
 *
 * lazy: leaves it to the latency timer to send what is left of the answers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flash/medium.h"
#include "tools/ftdi/usb_link.h"

enum { EXIT_FINE, EXIT_WRONG, EXIT_USAGE, EXIT_FAULT, RECOVERIES = 3, COMMAND = 3 };

struct echo {
    struct sdsim_link *link;
    size_t size;
    uint64_t depth;
    uint64_t count;
    bool lazy;
    uint8_t *batch;
    uint8_t *answer;
    uint8_t *expected;
};

/* The commands of batch `n`: its bytes out and in, in pieces as long as a command can be. */
static size_t make(const struct echo *echo, uint64_t n, uint8_t *batch)
{
    size_t used = 0;
    for (size_t done = 0; done < echo->size;) {
        const size_t left = echo->size - done;
        const size_t count = left < SDSIM_MPSSE_MOST_BYTES ? left : SDSIM_MPSSE_MOST_BYTES;
        batch[used++] = SDSIM_MPSSE_BYTES_BOTH;
        batch[used++] = (uint8_t)(count - 1);
        batch[used++] = (uint8_t)((count - 1) >> 8);
        sdsim_generate(5, n * echo->size + done, batch + used, count);
        used += count;
        done += count;
    }
    if (!echo->lazy) {
        batch[used++] = SDSIM_MPSSE_SEND_NOW;
    }
    return used;
}

static bool set_up(const struct echo *echo)
{
    static const uint8_t batch[] = {SDSIM_MPSSE_DIVIDE_5_OFF,
                                    SDSIM_MPSSE_ADAPTIVE_OFF,
                                    SDSIM_MPSSE_DIVISOR,
                                    1,
                                    0,
                                    SDSIM_MPSSE_LOOP_ON,
                                    SDSIM_MPSSE_SET_LOW,
                                    0x0A,
                                    0x0B};
    return sdsim_link_submit(echo->link, batch, sizeof batch, 0);
}

/* Sends and checks batches from *done on; false: the link failed, or a byte was wrong. */
static bool run(const struct echo *echo, uint64_t *done, bool *wrong)
{
    uint64_t sent = *done;
    if (!set_up(echo)) {
        return false;
    }
    while (*done < echo->count) {
        while (sent < echo->count && sent - *done < echo->depth) {
            const size_t used = make(echo, sent, echo->batch);
            if (!sdsim_link_submit(echo->link, echo->batch, used, echo->size)) {
                return false;
            }
            sent++;
        }
        if (!sdsim_link_collect(echo->link, echo->answer, echo->size, SDSIM_LINK_PATIENCE)) {
            return false;
        }
        sdsim_generate(5, *done * echo->size, echo->expected, echo->size);
        if (memcmp(echo->answer, echo->expected, echo->size) != 0) {
            *wrong = true;
            return false;
        }
        ++*done;
    }
    return true;
}

static int report(const struct echo *echo)
{
    const struct sdsim_link_counters *counters = &echo->link->counters;
    printf("out %llu in %llu round-trips %llu recoveries %llu retries %llu\n",
           (unsigned long long)counters->bytes_out, (unsigned long long)counters->bytes_in,
           (unsigned long long)counters->round_trips, (unsigned long long)counters->recoveries,
           (unsigned long long)counters->retries);
    return fflush(stdout) == 0 ? EXIT_FINE : EXIT_FAULT;
}

static int work(const struct echo *echo)
{
    uint64_t done = 0;
    bool wrong = false;
    for (int i = 0; echo->link->fault != SDSIM_LINK_FINE || !run(echo, &done, &wrong); i++) {
        if (i == RECOVERIES || (!wrong && !sdsim_link_may_recover(echo->link)) ||
            !sdsim_link_recover(echo->link)) {
            fprintf(stderr, "error: %s\n", wrong ? "wrong bytes" : echo->link->error);
            return wrong ? EXIT_WRONG : EXIT_FAULT;
        }
        wrong = false;
        echo->link->counters.retries++;
    }
    return report(echo);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: usb_echo SIZE DEPTH COUNT [lazy]\n", stderr);
        return EXIT_USAGE;
    }
    struct echo echo = {.size = strtoul(argv[1], NULL, 10),
                        .depth = strtoul(argv[2], NULL, 10),
                        .count = strtoul(argv[3], NULL, 10),
                        .lazy = argc > 4};
    const size_t room = echo.size + COMMAND * (echo.size / SDSIM_MPSSE_MOST_BYTES + 1) + 1;
    echo.batch = malloc(room);
    echo.answer = malloc(echo.size);
    echo.expected = malloc(echo.size);
    echo.link = sdsim_usb_link_open(&(struct sdsim_usb_device){.vendor = 0});
    const bool memory = echo.batch != NULL && echo.answer != NULL && echo.expected != NULL;
    const int code = memory && echo.link != NULL ? work(&echo) : EXIT_FAULT;
    sdsim_link_close(echo.link);
    free(echo.batch);
    free(echo.answer);
    free(echo.expected);
    return code;
}
