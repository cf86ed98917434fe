#include "capture/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/spi_command.h"
#include "card/registers.h"

/* Commands that SPI mode does not have. SD Physical Layer Simplified Specification, section 4.7.4. */
static const struct {
    uint8_t index;
    bool app;
    const char *title;
} sd_titles[] = {
    {2, false, "ask for CID"},          {3, false, "ask for a relative address"},
    {4, false, "set driver stage"},     {5, false, "ask whether it is an SDIO card"},
    {7, false, "select card"},          {11, false, "switch to 1.8 V"},
    {15, false, "go inactive"},         {19, false, "tuning pattern"},
    {20, false, "speed class control"}, {23, false, "set block count"},
    {52, false, "SDIO, one byte"},      {53, false, "SDIO, many bytes"},
    {6, true, "set bus width"},
};

char *sdsim_words_name(uint8_t index, bool app, char *out, size_t size)
{
    snprintf(out, size, "%sCMD%u", app ? "A" : "", (unsigned)index);
    return out;
}

const char *sdsim_words_title(uint8_t index, bool app)
{
    for (size_t i = 0; i < sizeof sd_titles / sizeof sd_titles[0]; i++) {
        if (sd_titles[i].index == index && sd_titles[i].app == app) {
            return sd_titles[i].title;
        }
    }
    const struct sdsim_spi_command *command = sdsim_spi_command(index, app);
    return command->title != NULL ? command->title : "";
}

static void app_argument(const struct sdsim_capture_row *row, char *out, size_t size)
{
    const uint32_t a = row->argument;
    switch (row->index) {
    case 6:
        snprintf(out, size, "%s", (a & 3) == 2 ? "4 lines" : (a & 3) == 0 ? "1 line" : "?");
        break;
    case 23:
        snprintf(out, size, "%" PRIu32 " blocks", a & 0x7FFFFF);
        break;
    case 41:
        snprintf(out, size, "%s%s%08" PRIx32, (a & SDSIM_OCR_CCS) != 0 ? "HCS, " : "",
                 (a & SDSIM_OCR_VOLTAGES) == 0 && (a & ~SDSIM_OCR_CCS) == 0 ? "no voltages, " : "",
                 a);
        break;
    default:
        snprintf(out, size, a == 0 ? "0" : "%08" PRIx32, a);
        break;
    }
}

char *sdsim_words_argument(const struct sdsim_capture_row *row, char *out, size_t size)
{
    const uint32_t a = row->argument;
    if (row->app) {
        app_argument(row, out, size);
        return out;
    }
    switch (row->index) {
    case 6:
        snprintf(out, size, "%s, access mode %s", (a & 0x80000000u) != 0 ? "switch" : "check",
                 (a & 15) == 1    ? "high speed"
                 : (a & 15) == 15 ? "as it is"
                                  : "default");
        break;
    case 8:
        snprintf(out, size, "%s, pattern %02" PRIX32,
                 (a >> 8 & 15) == 1 ? "2.7-3.6 V" : "other voltage", a & 255);
        break;
    case 16:
        snprintf(out, size, "%" PRIu32 " bytes", a);
        break;
    case 17:
    case 18:
    case 24:
    case 25:
    case 32:
    case 33:
        snprintf(out, size, "address %" PRIu32, a);
        break;
    case 23:
        snprintf(out, size, "%" PRIu32 " blocks", a & 0xFFFF);
        break;
    case 59:
        snprintf(out, size, "%s", (a & 1) != 0 ? "on" : "off");
        break;
    case 7:
    case 9:
    case 10:
    case 13:
    case 55:
        snprintf(out, size, a >> 16 != 0 ? "RCA %04" PRIx32 : "0", a >> 16);
        break;
    default:
        snprintf(out, size, a == 0 ? "0" : "%08" PRIx32, a);
        break;
    }
    return out;
}

/* Appends ", text" or "text". */
static void append(char *out, size_t size, const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", text);
}

static void spi_r1(uint8_t r1, char *out, size_t size)
{
    static const char *const bits[] = {"idle",           "erase reset",          "illegal command",
                                       "CRC error",      "erase sequence error", "address error",
                                       "parameter error"};
    for (unsigned i = 0; i < 7; i++) {
        if ((r1 >> i & 1) != 0) {
            append(out, size, bits[i]);
        }
    }
    if (r1 == 0) {
        append(out, size, "ready");
    }
    if (r1 >= 0x80) {
        append(out, size, "no R1: bit 7 is set");
    }
}

/* Card status, SD Physical Layer Simplified Specification, table 4-42. */
static void sd_status(uint32_t status, char *out, size_t size)
{
    static const struct {
        unsigned bit;
        const char *text;
    } errors[] = {{31, "out of range"},
                  {30, "address error"},
                  {29, "block length error"},
                  {28, "erase sequence error"},
                  {27, "erase parameter"},
                  {26, "write protected"},
                  {25, "locked"},
                  {24, "lock failed"},
                  {23, "CRC error"},
                  {22, "illegal command"},
                  {21, "ECC failed"},
                  {20, "controller error"},
                  {19, "error"},
                  {16, "CSD overwrite"},
                  {15, "protected part skipped"}};
    static const char *const states[16] = {"idle",
                                           "ready",
                                           "identification",
                                           "stand-by",
                                           "transfer",
                                           "sending data",
                                           "receiving data",
                                           "programming",
                                           "disconnected",
                                           "9",
                                           "10",
                                           "11",
                                           "12",
                                           "13",
                                           "14",
                                           "15"};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if ((status >> errors[i].bit & 1) != 0) {
            append(out, size, errors[i].text);
        }
    }
    append(out, size, states[status >> 9 & 15]);
}

static void ocr_words(uint32_t ocr, char *out, size_t size)
{
    append(out, size, (ocr & SDSIM_OCR_READY) != 0 ? "ready" : "busy");
    if ((ocr & SDSIM_OCR_READY) != 0) {
        append(out, size, (ocr & SDSIM_OCR_CCS) != 0 ? "block addresses" : "byte addresses");
    }
}

static uint32_t word_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void spi_response(const struct sdsim_capture_row *row, char *out, size_t size)
{
    char more[40];
    spi_r1(row->response[0], out, size);
    if (row->response_size == 2) {
        snprintf(more, sizeof more, "status %02x", row->response[1]);
        append(out, size, more);
    } else if (row->response_size == 5 && row->index == 8) {
        snprintf(more, sizeof more, "voltage %x, pattern %02X", row->response[3] & 15,
                 row->response[4]);
        append(out, size, more);
    } else if (row->response_size == 5) {
        const uint32_t ocr = word_of(row->response + 1);
        snprintf(more, sizeof more, "OCR %08" PRIx32, ocr);
        append(out, size, more);
        ocr_words(ocr, out, size);
    }
}

static void sd_response(const struct sdsim_capture_row *row, char *out, size_t size)
{
    const uint32_t word = word_of(row->response + 1);
    char more[40];
    if (row->response_size == SDSIM_SUMMARY_RESPONSE) {
        append(out, size, row->index == 9 ? "CSD" : "CID");
    } else if (row->app && row->index == 41) {
        snprintf(more, sizeof more, "OCR %08" PRIx32, word);
        append(out, size, more);
        ocr_words(word, out, size);
    } else if (!row->app && row->index == 3) {
        snprintf(more, sizeof more, "RCA %04" PRIx32, word >> 16);
        append(out, size, more);
    } else if (!row->app && row->index == 8) {
        snprintf(more, sizeof more, "voltage %" PRIx32 ", pattern %02" PRIX32, word >> 8 & 15,
                 word & 255);
        append(out, size, more);
    } else {
        sd_status(word, out, size);
    }
}

char *sdsim_words_response(const struct sdsim_capture_row *row, bool spi, char *out, size_t size)
{
    out[0] = '\0';
    if (row->answer != SDSIM_ROW_ANSWERED) {
        static const char *const none[] = {
            [SDSIM_ROW_WAITING] = "not recorded",
            [SDSIM_ROW_ANSWERED] = "",
            [SDSIM_ROW_SILENT] = "none",
            [SDSIM_ROW_UNREADABLE] = "unreadable",
        };
        const bool due =
            spi || row->app || (row->index != 0 && row->index != 4 && row->index != 15);
        snprintf(out, size, "%s", due ? none[row->answer] : "(none due)");
        return out;
    }
    if (row->response_size > 0) {
        if (spi) {
            spi_response(row, out, size);
        } else if (row->response_size >= 6) {
            sd_response(row, out, size);
        }
    }
    if (row->response_crc == SDSIM_ITEM_CRC_WRONG) {
        append(out, size, "wrong CRC7");
    }
    return out;
}

const char *sdsim_words_data_response(uint8_t token, bool spi)
{
    const unsigned code = spi ? token & 0x1F : token;
    if (code == (spi ? 0x05u : 2u)) {
        return "accepted";
    }
    if (code == (spi ? 0x0Bu : 5u)) {
        return "CRC error";
    }
    return spi && code == 0x0D ? "write error" : "unknown";
}
