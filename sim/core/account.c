#include "core/account.h"

#include <assert.h>

static const char *const kind_names[SDSIM_KIND_COUNT] = {
    [SDSIM_PAYLOAD] = "payload", [SDSIM_PROTOCOL] = "protocol", [SDSIM_GAP] = "gap",
    [SDSIM_POLL] = "poll",       [SDSIM_ACCESS] = "access",     [SDSIM_BUSY] = "busy",
    [SDSIM_PAUSE] = "pause",     [SDSIM_COPY] = "copy",         [SDSIM_HOST] = "host",
    [SDSIM_IDLE] = "idle",       [SDSIM_OUTSIDE] = "outside",
};

static const char *const purpose_names[SDSIM_PURPOSE_COUNT] = {
    [SDSIM_FOR_DATA] = "data",           [SDSIM_FOR_FAT] = "fat",
    [SDSIM_FOR_DIRECTORY] = "directory", [SDSIM_FOR_FSINFO] = "fsinfo",
    [SDSIM_FOR_BITMAP] = "bitmap",       [SDSIM_FOR_BOOT] = "boot",
    [SDSIM_FOR_INIT] = "init",
};

const char *sdsim_kind_name(enum sdsim_kind kind)
{
    return kind_names[kind];
}

const char *sdsim_purpose_name(enum sdsim_purpose purpose)
{
    return purpose_names[purpose];
}

sdsim_ps sdsim_account_kind(const struct sdsim_account *account, enum sdsim_kind kind)
{
    sdsim_ps sum = 0;
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        sum = sdsim_time_sum(sum, account->ps[p][kind]);
    }
    return sum;
}

sdsim_ps sdsim_account_purpose(const struct sdsim_account *account, enum sdsim_purpose purpose)
{
    sdsim_ps sum = 0;
    for (int k = 0; k < SDSIM_KIND_COUNT; k++) {
        sum = sdsim_time_sum(sum, account->ps[purpose][k]);
    }
    return sum;
}

sdsim_ps sdsim_account_total(const struct sdsim_account *account)
{
    sdsim_ps sum = 0;
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        sum = sdsim_time_sum(sum, sdsim_account_purpose(account, (enum sdsim_purpose)p));
    }
    return sum;
}

void sdsim_account_since(struct sdsim_account *account, const struct sdsim_account *before)
{
    for (int p = 0; p < SDSIM_PURPOSE_COUNT; p++) {
        for (int k = 0; k < SDSIM_KIND_COUNT; k++) {
            account->ps[p][k] -= before->ps[p][k];
        }
    }
}

void sdsim_counters_since(struct sdsim_counters *counters, const struct sdsim_counters *before)
{
    for (int i = 0; i < 64; i++) {
        counters->commands[i] -= before->commands[i];
        counters->app_commands[i] -= before->app_commands[i];
    }
    counters->blocks_read -= before->blocks_read;
    counters->blocks_written -= before->blocks_written;
    counters->bus_clocks -= before->bus_clocks;
    counters->file_host -= before->file_host;
    counters->file_copy -= before->file_copy;
}

void sdsim_record_call(struct sdsim_meter *meter, enum sdsim_lane lane, enum sdsim_call call,
                       enum sdsim_purpose purpose, sdsim_ps start, sdsim_ps end,
                       const struct sdsim_detail *detail)
{
    if (meter->recorder == NULL) {
        return;
    }
    const struct sdsim_span span = {
        .start = start,
        .duration = end - start,
        .count = 1,
        .lane = (uint8_t)lane,
        .kind = SDSIM_HOST,
        .purpose = (uint8_t)purpose,
        .part = (uint8_t)call,
        .detail = sdsim_record_detail(meter->recorder, detail),
    };
    meter->recorder->span(meter->recorder, &span);
}

void sdsim_book_card_wait(struct sdsim_meter *meter, enum sdsim_kind normal, sdsim_ps from,
                          sdsim_ps to, sdsim_ps ready_at, sdsim_ps pause)
{
    assert(from <= to && from < ready_at);
    const sdsim_ps card_end = ready_at > to ? to : ready_at;
    const sdsim_ps pause_from = ready_at > pause ? ready_at - pause : 0;
    const sdsim_ps normal_end = pause_from < from       ? from
                                : pause_from > card_end ? card_end
                                                        : pause_from;
    sdsim_book_span(meter, normal, SDSIM_LANE_CARD, from, normal_end - from);
    sdsim_book_span(meter, SDSIM_PAUSE, SDSIM_LANE_CARD, normal_end, card_end - normal_end);
    sdsim_book_span(meter, SDSIM_POLL, SDSIM_LANE_CPU, card_end, to - card_end);

    sdsim_note_wait(meter, from, card_end - from);
}
