#include "bits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A window that is worked out. */
struct job {
    struct sdsim_subject *subject;
    sdsim_ps from;
    sdsim_ps to;
    struct sdsim_waves waves;
    bool good;
    char why[160];
};

struct track {
    struct sdsim_subject *subject; /* NULL: there is none */
    double hertz;
    struct sdsim_waves waves; /* the last ones */
    bool failed;              /* the last window that was asked for, [from, to), can't be had */
    sdsim_ps from;
    sdsim_ps to;
    char why[160];
};

struct sdsim_bits {
    struct track tracks[2];
    void (*wake)(void);
    struct job job;
    int job_track; /* -1: nothing is under way */
    pthread_t thread;
    pthread_mutex_t lock;
    bool done; /* under the lock */
};

struct sdsim_bits *sdsim_bits_new(struct sdsim_subject *const subjects[2], void (*wake)(void))
{
    struct sdsim_bits *bits = calloc(1, sizeof *bits);
    if (bits == NULL || pthread_mutex_init(&bits->lock, NULL) != 0) {
        free(bits);
        return NULL;
    }
    bits->wake = wake;
    bits->job_track = -1;
    for (int i = 0; i < 2; i++) {
        bits->tracks[i].subject = subjects[i];
        bits->tracks[i].hertz = subjects[i] != NULL ? sdsim_subject_clock(subjects[i]) : 0;
    }
    return bits;
}

/* ---- working ---- */

static void work_out(struct job *job)
{
    job->good = sdsim_subject_waves(job->subject, job->from, job->to, &job->waves, job->why,
                                    sizeof job->why);
}

static void *work(void *context)
{
    struct sdsim_bits *bits = context;
    work_out(&bits->job);
    pthread_mutex_lock(&bits->lock);
    bits->done = true;
    pthread_mutex_unlock(&bits->lock);
    bits->wake();
    return NULL;
}

/* Takes what was worked out. */
static void take(struct sdsim_bits *bits)
{
    struct track *track = &bits->tracks[bits->job_track];
    sdsim_waves_free(&track->waves);
    track->waves = bits->job.waves;
    track->failed = !bits->job.good;
    track->from = bits->job.from;
    track->to = bits->job.to;
    memcpy(track->why, bits->job.why, sizeof track->why);
    bits->job_track = -1;
}

static void take_if_done(struct sdsim_bits *bits)
{
    if (bits->job_track < 0) {
        return;
    }
    pthread_mutex_lock(&bits->lock);
    const bool done = bits->done;
    pthread_mutex_unlock(&bits->lock);
    if (done) {
        pthread_join(bits->thread, NULL);
        take(bits);
    }
}

static void begin(struct sdsim_bits *bits, int track, sdsim_ps from, sdsim_ps to)
{
    bits->job =
        (struct job){.subject = bits->tracks[track].subject, .from = from, .to = to, .why = ""};
    bits->job_track = track;
    bits->done = false;
    (void)sdsim_subject_run(bits->tracks[track].subject); /* here, as others ask for it, too */
    if (bits->wake == NULL || pthread_create(&bits->thread, NULL, work, bits) != 0) {
        work_out(&bits->job);
        take(bits);
    }
}

void sdsim_bits_free(struct sdsim_bits *bits)
{
    if (bits == NULL) {
        return;
    }
    if (bits->job_track >= 0) {
        pthread_join(bits->thread, NULL);
        take(bits);
    }
    for (int i = 0; i < 2; i++) {
        sdsim_waves_free(&bits->tracks[i].waves);
    }
    pthread_mutex_destroy(&bits->lock);
    free(bits);
}

/* ---- what is wanted ---- */

/* A clock of the bus should have half a pixel: then fields can be read. */
static bool is_visible(const struct track *track, const struct sdsim_axis *own)
{
    return track->hertz > 0 &&
           (double)own->length / (double)SDSIM_S * track->hertz <= 2 * (double)own->width;
}

static bool covers(sdsim_ps from, sdsim_ps to, const struct sdsim_axis *own)
{
    return from <= own->from && to >= sdsim_time_sum(own->from, own->length);
}

static void update_track(struct sdsim_bits *bits, struct sdsim_app *app, int number)
{
    struct track *track = &bits->tracks[number];
    struct sdsim_app_bits *shown = &app->bits[number];
    struct sdsim_axis own;
    int32_t x;
    *shown = (struct sdsim_app_bits){.note = "zoom in to see clock and data"};
    if (track->subject == NULL || sdsim_app_track(app, (uint8_t)number, &own, &x) == NULL) {
        return;
    }
    if (!is_visible(track, &own)) {
        shown->note = track->hertz > 0 ? shown->note : "the clock of the bus is not known";
        return;
    }
    const bool known = covers(track->from, track->to, &own) && track->to > track->from;
    if (!known && bits->job_track < 0) {
        begin(bits, number, sdsim_time_since(own.from, own.length),
              sdsim_time_sum(own.from, 2 * own.length));
    }
    if (!covers(track->from, track->to, &own)) {
        shown->waves = track->waves.edge_count > 0 ? &track->waves : NULL;
        shown->note = "simulating these bits ...";
    } else if (track->failed) {
        shown->note = track->why;
    } else {
        shown->waves = &track->waves;
        shown->note = track->waves.edge_count == 0 ? "nothing moves here" : NULL;
    }
}

void sdsim_bits_update(struct sdsim_bits *bits, struct sdsim_app *app)
{
    take_if_done(bits);
    for (int i = 0; i < 2; i++) {
        update_track(bits, app, i);
    }
    sdsim_app_fit_pins(app);
}
