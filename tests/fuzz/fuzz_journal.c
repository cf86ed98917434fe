/* Journals of any content: what opens lies on the card it names, and can be read. */
#include "fuzz/fuzz.h"

#include "flash/medium.h"
#include "tools/ftdi/journal.h"

const unsigned sdsim_fuzz_runs = 2000;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sdsim_journal journal;
    if (sdsim_journal_open(&journal, sdsim_fuzz_file(data, size, ".journal"))) {
        for (size_t i = 0; i < journal.count; i++) {
            const struct sdsim_journal_record *record = &journal.records[i];
            uint8_t sector[SDSIM_SECTOR];
            SDSIM_FUZZ_HOLDS(record->count > 0 && record->lba < journal.sectors &&
                             record->count <= journal.sectors - record->lba);
            SDSIM_FUZZ_HOLDS(i == 0 || record->lba >= journal.records[i - 1].lba);
            SDSIM_FUZZ_HOLDS(sdsim_journal_read(&journal, record, record->count - 1, 1, sector));
        }
    } else {
        SDSIM_FUZZ_HOLDS(journal.error[0] != '\0');
    }
    sdsim_journal_close(&journal);
    return 0;
}
