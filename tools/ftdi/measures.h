/*
 * What is measured of a card, and how: the questions a card profile answers, asked on the bus.
 *
 * Each number is a spread of samples in bytes of the clock of data (samples.h): counted clocks, the upper
 * bounds where the clock may have stood still, and the host time of the calls they were seen in. Times that
 * the bus can't show are not there: what a card does behind the transfer of a block (275 us for a
 * block at 15 MHz) is seen only as far as it lasts longer.
 *
 * Reads change nothing. Writes go through a function of the caller, which knows what may be touched and
 * has saved it (guard.h). How the places are chosen, so that a card is not asked two things at once, is
 * said at each function.
 */
#ifndef SDSIM_FTDI_MEASURES_H
#define SDSIM_FTDI_MEASURES_H

#include "card_io.h"
#include "samples.h"

/* A border: of page groups or AUs. */
struct sdsim_border_fact {
    uint32_t blocks; /* between two of them; 0: none was seen */
    double step;     /* bytes that crossing one takes, in all (page) or more than a page (AU) */
    struct sdsim_spread_facts
        spread; /* block to block across one; writes: end of a stream at one */
};

struct sdsim_read_measures {
    struct sdsim_spread_facts n_cr;  /* bytes, exactly */
    struct sdsim_spread_facts first; /* command to data, anywhere on the card */
    struct sdsim_spread_facts again; /* the same in the page group read last */
    struct sdsim_spread_facts next;  /* block to block */
    struct sdsim_border_fact page;
    struct sdsim_border_fact au;
    size_t lost; /* samples */
};

/* How much is asked: 1 as usual. Tests take less of what takes long. */
struct sdsim_measure_plan {
    uint32_t reads;       /* samples of a first access */
    uint32_t writes;      /* of a lone write */
    uint64_t pause_bytes; /* to be written in search of pauses ... */
    sdsim_ps pause_time;  /* ... but for no longer than this */
    uint32_t most_aus;    /* open AUs looked for */
    bool erase;
};

extern const struct sdsim_measure_plan sdsim_usual_plan;

/*
 * Reads all over the card. Single blocks far from each other: first access; their neighbours: what the
 * buffer holds; runs of blocks: next block; pairs of blocks around multiples of every 2^k and 3 * 2^k
 * blocks: borders. `au_blocks` is what the SD status says, and decides only what a border is called that
 * comes alone. False: io->error.
 */
bool sdsim_measure_reads(struct sdsim_card_io *io, const struct sdsim_measure_plan *plan,
                         uint32_t au_blocks, struct sdsim_read_measures *measures);

/* ---- writes ---- */

/* Whoever lets sectors be written. All functions return false when it can't be done; the reason is in
 * io->error. */
struct sdsim_card_writer {
    /* These will be written: saves them first. */
    bool (*cover)(struct sdsim_card_writer *writer, uint32_t lba, uint32_t count);
    bool (*write)(struct sdsim_card_writer *writer, uint32_t lba, uint32_t count,
                  const struct sdsim_content *content, struct sdsim_byte_times *times);
    bool (*erase)(struct sdsim_card_writer *writer, uint32_t from, uint32_t to,
                  struct sdsim_byte_times *times);
    uint32_t from; /* what may be written: sectors from..to - 1 */
    uint32_t to;
};

struct sdsim_pause_fact {
    uint64_t at;  /* bytes written before it, since the measurement began */
    double bytes; /* how long */
    double most;  /* the upper bound; 0: none */
    bool border;  /* with the first blocks of an AU */
};

enum { SDSIM_PAUSES = 64 };

struct sdsim_write_measures {
    uint32_t au_blocks;               /* that the places were chosen by */
    struct sdsim_spread_facts lone;   /* busy of a lone block, CMD24 */
    struct sdsim_spread_facts stream; /* busy between the blocks of a stream */
    struct sdsim_spread_facts stop;   /* busy at the end of a short stream */
    struct sdsim_spread_facts stop_large;
    uint32_t large_blocks;           /* from which on stop_large holds; 0: there is no difference */
    struct sdsim_border_fact page;   /* step: program of a page group */
    struct sdsim_spread_facts rand;  /* busy at the end of a write against the order */
    struct sdsim_spread_facts small; /* the same of a small one */
    uint32_t small_blocks;           /* largest small one; 0: there is no difference */
    uint32_t aus_tried;
    uint32_t open_aus;               /* 0: no limit up to aus_tried */
    uint32_t turn_blocks;            /* of each write in turn */
    struct sdsim_spread_facts merge; /* what a write costs more beyond the limit: it closes an AU of
                                        which turn_blocks were written since it was opened */
    struct sdsim_spread_facts
        merge_fuller; /* the same with fuller_blocks written; count 0: unknown */
    uint32_t fuller_blocks;
    struct sdsim_spread_facts pause;
    struct sdsim_pause_fact pauses[SDSIM_PAUSES];
    size_t pause_count;
    uint64_t pause_every;                /* bytes; 0: fewer than two were seen */
    uint64_t pause_written;              /* bytes that were searched for them */
    struct sdsim_spread_facts erase;     /* within an AU */
    struct sdsim_spread_facts erase_two; /* across a border */
    size_t lost;
};

/* `au_blocks`: what the SD status says, or a guess. Measures what there is room for; the rest stays 0. */
bool sdsim_measure_writes(struct sdsim_card_io *io, struct sdsim_card_writer *writer,
                          const struct sdsim_measure_plan *plan, uint32_t au_blocks,
                          struct sdsim_write_measures *measures);

#endif
