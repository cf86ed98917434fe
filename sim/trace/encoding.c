#include "trace/encoding.h"

#include <string.h>

static const char utf16[] = "text in UTF-16";
static const char convert[] =
    "convert it: iconv -f UTF-16 -t UTF-8, or in PowerShell | Out-File -Encoding utf8";
static const char utf16_bare[] = "text in UTF-16 without a byte order mark";
static const char convert_le[] = "convert it: iconv -f UTF-16LE -t UTF-8 FILE";
static const char convert_be[] = "convert it: iconv -f UTF-16BE -t UTF-8 FILE";

static const struct {
    const char *magic;
    size_t size;
    struct sdsim_encoding encoding;
} known[] = {
    {"\xFF\xFE", 2, {utf16, convert}},
    {"\xFE\xFF", 2, {utf16, convert}},
    {"\x1F\x8B", 2, {"compressed with gzip", "unpack it: gunzip FILE; zstd is read as it is"}},
    {"BZh", 3, {"compressed with bzip2", "unpack it: bunzip2 FILE; zstd is read as it is"}},
    {"\xFD"
     "7zXZ",
     5,
     {"compressed with xz", "unpack it: unxz FILE; zstd is read as it is"}},
    {"7z\xBC\xAF", 4, {"an archive of 7-Zip", "unpack it: 7z e FILE"}},
    {"Rar!", 4, {"a RAR archive", "unpack it first"}},
    {"PK\x03\x04", 4, {"a zip archive", "unpack it: unzip FILE"}},
    {"%PDF", 4, {"a PDF document", "the text or the capture itself is needed"}},
    {"\x7F"
     "ELF",
     4,
     {"a program", "the text or the capture itself is needed"}},
};

struct sdsim_encoding sdsim_encoding_of(const char *head, size_t size)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (size >= known[i].size && memcmp(head, known[i].magic, known[i].size) == 0) {
            return known[i].encoding;
        }
    }
    /* Characters of ASCII, each with a zero beside it. */
    size_t zeros[2] = {0, 0};
    for (size_t i = 0; i < SDSIM_ENCODING_HEAD && size >= SDSIM_ENCODING_HEAD; i++) {
        const unsigned char byte = (unsigned char)head[i];
        zeros[i % 2] += byte == 0;
        if (byte > 0x7E) {
            return (struct sdsim_encoding){.what = NULL};
        }
    }
    if (zeros[0] == 0 && zeros[1] == 4) {
        return (struct sdsim_encoding){utf16_bare, convert_le};
    }
    if (zeros[0] == 4 && zeros[1] == 0) {
        return (struct sdsim_encoding){utf16_bare, convert_be};
    }
    return (struct sdsim_encoding){.what = NULL};
}

size_t sdsim_encoding_mark(const char *head, size_t size)
{
    return size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}
