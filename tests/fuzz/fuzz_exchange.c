/* Exchanges as text: read, decoded and examined; written down and read again, the bytes are the same. */
#include "fuzz/item_fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "capture/doctor.h"
#include "capture/exchange.h"
#include "capture/spi_decoder.h"

const unsigned sdsim_fuzz_runs = 6000;

enum { BYTES_MAX = 200000 };

/* Takes the bytes of an exchange to a writer, to the decoder, and into a sum. */
struct taker {
    struct sdsim_exchange_sink sink;
    struct sdsim_exchange_sink *writer; /* NULL: none */
    struct sdsim_spi_decoder *decoder;
    uint64_t sum;
    uint64_t bytes;
};

static void mix(struct taker *taker, uint64_t value)
{
    taker->sum = (taker->sum ^ value) * UINT64_C(0x9E3779B97F4A7C15);
}

static void take_select(struct sdsim_exchange_sink *sink, bool low, sdsim_ps at, uint64_t line)
{
    struct taker *taker = (struct taker *)sink;
    mix(taker, low ? 1000 : 2000);
    sdsim_spi_decoder_select(taker->decoder, low, at, line);
    if (taker->writer != NULL) {
        taker->writer->select(taker->writer, low, at, line);
    }
}

static void take_byte(struct sdsim_exchange_sink *sink, const struct sdsim_spi_byte *byte)
{
    struct taker *taker = (struct taker *)sink;
    mix(taker, (uint64_t)byte->mosi << 8 | byte->miso);
    taker->bytes++;
    sdsim_spi_decoder_byte(taker->decoder, byte);
    if (taker->writer != NULL) {
        taker->writer->byte(taker->writer, byte);
    }
}

/* Reads an exchange; false if there is something wrong with it, or too much of it. */
static bool take(const char *text, size_t size, struct sdsim_exchange_sink *writer,
                 struct taker *taker, struct sdsim_exchange_facts *facts)
{
    static struct sdsim_doctor doctor;
    static struct sdsim_spi_decoder decoder;
    struct sdsim_fuzz_items items;
    struct sdsim_diags diags;
    sdsim_diags_init(&diags);
    *taker =
        (struct taker){.sink = {take_select, take_byte}, .writer = writer, .decoder = &decoder};
    bool good = sdsim_exchange_read("fuzz", text, size, NULL, facts, &diags);
    SDSIM_FUZZ_HOLDS(good == (diags.errors == 0));
    if (good && facts->bytes <= BYTES_MAX) {
        const struct sdsim_doctor_source source = {.unit = "line",
                                                   .timed = facts->timed,
                                                   .cs_known = facts->cs_known,
                                                   .card_unknown = facts->card_unknown};
        sdsim_doctor_init(&doctor, &source, NULL);
        sdsim_fuzz_items_init(&items, &doctor.listener);
        sdsim_spi_decoder_init(&decoder, &items.listener, facts->timed);
        SDSIM_FUZZ_HOLDS(sdsim_exchange_read("fuzz", text, size, &taker->sink, facts, &diags));
        sdsim_spi_decoder_end(&decoder);
        sdsim_doctor_end(&doctor);
        SDSIM_FUZZ_HOLDS(taker->bytes == facts->bytes);
    }
    good = good && facts->bytes <= BYTES_MAX;
    sdsim_diags_free(&diags);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sdsim_exchange_facts facts;
    struct sdsim_exchange_writer writer;
    struct taker first;
    struct taker second;
    char *text = NULL;
    size_t written = 0;
    FILE *out = open_memstream(&text, &written);
    SDSIM_FUZZ_HOLDS(out != NULL);
    sdsim_exchange_writer_init(&writer, out, false);
    const bool good = take((const char *)data, size, &writer.sink, &first, &facts);
    sdsim_exchange_writer_end(&writer);
    SDSIM_FUZZ_HOLDS(fclose(out) == 0);
    if (good && first.bytes > 0) {
        SDSIM_FUZZ_HOLDS(take(text, written, NULL, &second, &facts));
        SDSIM_FUZZ_HOLDS(first.sum == second.sum);
    }
    free(text);
    return 0;
}
