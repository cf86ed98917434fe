#include "doctor_bench.h"

#include <stdio.h>
#include <string.h>

void sdsim_test_doctor_begin(struct sdsim_test_doctor *bench,
                             const struct sdsim_doctor_source *source)
{
    sdsim_doctor_init(&bench->doctor, source, NULL);
    sdsim_spi_decoder_init(&bench->decoder, &bench->doctor.listener, source->timed);
}

const char *sdsim_test_doctor_end(struct sdsim_test_doctor *bench, enum sdsim_severity least)
{
    size_t used = 0;
    sdsim_spi_decoder_end(&bench->decoder);
    sdsim_doctor_end(&bench->doctor);
    bench->names[0] = '\0';
    for (size_t i = 0; i < sdsim_doctor_rule_count(); i++) {
        const struct sdsim_doctor_finding *finding = sdsim_doctor_finding(&bench->doctor, i);
        if (finding->count > 0 && finding->rule->severity >= least) {
            used += (size_t)snprintf(bench->names + used, sizeof bench->names - used, "%s%s",
                                     used > 0 ? " " : "", finding->rule->name);
        }
    }
    return bench->names;
}
