/*
 * simulate(setup, recorder) -> result: one run, pure and re-entrant.
 *
 * Builds card, port, driver, volume and file from the parameters, initialises the card, mounts the
 * volume, runs the workload, and tells what came of it. Same setup, same result, to the picosecond.
 */
#ifndef SDSIM_SETUP_SIMULATE_H
#define SDSIM_SETUP_SIMULATE_H

#include "port/wire.h"
#include "setup/setup.h"

/* What a run is measured in. */
enum sdsim_metric {
    SDSIM_METRIC_THROUGHPUT,   /* bytes per second */
    SDSIM_METRIC_LINES,        /* lines per second */
    SDSIM_METRIC_TIME,         /* seconds for one call, with its share of what is timed around it */
    SDSIM_METRIC_MEAN_LATENCY, /* seconds of one call alone: mean, shortest, longest */
    SDSIM_METRIC_MIN_LATENCY,
    SDSIM_METRIC_MAX_LATENCY,
};

/* Whose fault it is that there is no value. */
enum sdsim_failure {
    SDSIM_FAILURE_NONE,
    SDSIM_FAILURE_INPUT,  /* the card can't be prepared as the scenario says */
    SDSIM_FAILURE_RUN,    /* the firmware's own: a limit of its driver, a full volume */
    SDSIM_FAILURE_MEMORY, /* this computer's */
};

struct sdsim_outcome_report {
    char error[600]; /* empty if all went well */
    enum sdsim_failure failure;
    enum sdsim_metric metric;
    double value; /* in the metric's unit; 0 on error */
    struct sdsim_workload_result workload;
    struct sdsim_flash_stats flash; /* from the first call to the end of the workload */
    struct sdsim_translation_stats translation;
    sdsim_ps init_time; /* card initialisation and mount */
    sdsim_ps end;       /* when all of it was over */
    double bus_hz;      /* the clock on the wire */
    uint32_t card_sectors;
};

/*
 * What is on the card when the firmware starts: the volume, filled as the scenario says, and the
 * file or directory the workload needs. It depends on the scenario and the card's capacity, not on
 * the draw. NULL with the reason in report->error. Free with sdsim_medium_destroy.
 */
struct sdsim_medium *sdsim_prepare_medium(const struct sdsim_setup *setup,
                                          struct sdsim_outcome_report *report);

/* Runs it on a prepared medium, which the run changes. `recorder` may be NULL. Never fails
 * otherwise than by report->error. */
void sdsim_simulate_on(const struct sdsim_setup *setup, struct sdsim_medium *medium,
                       struct sdsim_recorder *recorder, struct sdsim_outcome_report *report);

/* What is there once the card is initialised and, if wanted, the volume mounted. */
struct sdsim_stage {
    struct sdsim_driver *driver;
    struct sdsim_volume *volume;
    struct sdsim_meter *meter;
};

/* What somebody does with it from *now on: NULL, or why it ended early. */
typedef const char *sdsim_act(void *context, const struct sdsim_stage *stage, sdsim_ps *now);

/* How a window of a run is looked at. */
enum sdsim_view_kind {
    SDSIM_VIEW_SCOUT, /* finds out where to begin: `first` and `clocks` come out of it */
    SDSIM_VIEW_SPANS, /* the recorder hears the window */
    SDSIM_VIEW_BITS,  /* the listener hears it, byte by byte or clock by clock */
};

/*
 * A window of a run, from <= t < to. It takes two runs to see one, each on its own copy of the prepared
 * medium: a scout's, and one with what the scout found (port/scout.h, port/window.h). Whoever listens
 * also hears whole transactions that lie before the window or reach beyond it, and calls that were cut
 * short by the window's end; their ends lie behind it.
 */
struct sdsim_view {
    enum sdsim_view_kind kind;
    sdsim_ps from;
    sdsim_ps to;
    struct sdsim_recorder *recorder;      /* SPANS; not owned */
    struct sdsim_wire_listener *listener; /* BITS; not owned */
    uint64_t first;                       /* transaction to begin with */
    uint64_t clocks;                      /* bus clocks in the window */
    bool found;                           /* the run reaches the window */
    bool cut;                             /* the run was ended behind the window */
};

/* Runs it on a prepared medium and looks at a window. What a cut does to the run is no error. */
void sdsim_simulate_view(const struct sdsim_setup *setup, struct sdsim_medium *medium,
                         struct sdsim_view *view, struct sdsim_outcome_report *report);

/* Does something else than the workload, on a prepared medium; report->workload stays empty. With a
 * `view` (else NULL) it looks at a window as above, and the recorder hears nothing. */
void sdsim_simulate_act(const struct sdsim_setup *setup, struct sdsim_medium *medium,
                        struct sdsim_recorder *recorder, struct sdsim_view *view, bool mounted,
                        sdsim_act *act, void *context, struct sdsim_outcome_report *report);

/* Prepares a medium and runs on it. */
void sdsim_simulate(const struct sdsim_setup *setup, struct sdsim_recorder *recorder,
                    struct sdsim_outcome_report *report);

/* A prediction: draw 0, and the 5th and 95th percentile of draws 1..draws, widened to hold draw 0.
 */
struct sdsim_prediction {
    struct sdsim_outcome_report typical;
    double low;
    double high;
    uint32_t draws;
};

/*
 * Predicting one run takes two steps, so that the second can run on any thread:
 *
 * sdsim_predict_bind binds draws 0..draws into `setups` (draws + 1 of them, the caller's). It uses
 * the config, so one thread at a time. False, with messages, if something does not fit together.
 *
 * sdsim_predict_run simulates them: pure. It stops at the first draw that fails and leaves the
 * reason in prediction->typical.error. With draws = 0 low and high equal the value.
 */
bool sdsim_predict_bind(struct sdsim_config *config, const struct sdsim_run *run, uint32_t draws,
                        struct sdsim_setup *setups, struct sdsim_diags *diags);
void sdsim_predict_run(const struct sdsim_setup *setups, uint32_t draws,
                       struct sdsim_prediction *prediction);

/* How the FAT library of a run is built: by the run's engine, else the host's, else the file API's. */
struct sdsim_volume_config sdsim_setup_volume_config(const struct sdsim_setup *setup);

/* What a run is measured in: as it says, or as its workload usually is. */
enum sdsim_metric sdsim_metric_of(const struct sdsim_run_params *run);

/* "throughput", "lines", "time", "mean-latency", "min-latency", "max-latency"; "B/s", "lines/s", and
 * "s" for all times. */
const char *sdsim_metric_name(enum sdsim_metric metric);
const char *sdsim_metric_unit(enum sdsim_metric metric);

#endif
