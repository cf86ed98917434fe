/*
 * What a probe has to find: the means of what a card did, by its own log (ftdi/card_log.h), and whether
 * the profile that was written says the same.
 *
 * Each time is the mean over those of the log that the profile's key speaks of, at the level most of them
 * are on (a slow read now and then is another one). What a merge costs is asked of the profile as the
 * simulator asks it: all writes of the log are told to a translation layer with the profile's numbers, and
 * what it says their merges take stands against what the log says.
 *
 * Limits: the log is that of one probe with writing and erasing, of a card that was new at its beginning.
 */
#ifndef SDSIM_TEST_FTDI_CARD_TRUTH_H
#define SDSIM_TEST_FTDI_CARD_TRUTH_H

#include "card/params.h"
#include "ftdi/card_log.h"

/* In ps; 0 in `count`: there is none. */
struct sdsim_card_mean {
    double ps;
    size_t count;
};

struct sdsim_card_truth {
    struct sdsim_card_mean first; /* single blocks */
    struct sdsim_card_mean next;
    struct sdsim_card_mean page; /* block to block across a border of page groups */
    struct sdsim_card_mean au;   /* the same across one of AUs, less `page` if it is that, too */
    struct sdsim_card_mean lone;
    struct sdsim_card_mean stream;
    struct sdsim_card_mean stop;       /* of two blocks, where no page group is being programmed */
    struct sdsim_card_mean stop_large; /* the least of large ones: the same */
    struct sdsim_card_mean pause;      /* by the amount written, while they were looked for */
    struct sdsim_card_mean merge;      /* closing an AU, over all of the log */
    struct sdsim_card_mean merge_said; /* the same by the profile */
    struct sdsim_card_mean erase;      /* within an AU */
    struct sdsim_card_mean erase_two;  /* across a border */
};

/* `card` has the card's sizes of page group, AU and FAT area; `profile` is what the probe wrote. */
struct sdsim_card_truth sdsim_card_truth(struct sdsim_card_log_view log,
                                         const struct sdsim_card_params *card,
                                         const struct sdsim_card_params *profile);

/*
 * Judges the profile, at a clock of `hz`: times within 3 % or two bytes, whichever is larger; the sizes of
 * page group and AU, N_CR and, up to `most_aus`, the limit of open AUs exactly. Prints each; fails through
 * cmocka, and `name` says whose it is.
 */
void sdsim_judge_profile(const char *name, const struct sdsim_card_truth *truth,
                         const struct sdsim_card_params *card,
                         const struct sdsim_card_params *profile, double hz, uint32_t most_aus);

#endif
