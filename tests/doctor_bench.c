#include "doctor_bench.h"

#include <stdio.h>
#include <string.h>

void sdsim_test_doctor_begin(struct sdsim_test_doctor *bench,
                             const struct sdsim_doctor_source *source)
{
    sdsim_doctor_init(&bench->doctor, source, NULL);
    sdsim_spi_decoder_init(&bench->decoder, &bench->doctor.listener, source->timed);
}

void sdsim_test_doctor_names(const struct sdsim_doctor *doctor, enum sdsim_severity least,
                             char *names, size_t size)
{
    size_t used = 0;
    names[0] = '\0';
    for (size_t i = 0; i < sdsim_doctor_book(doctor->source.sd)->count; i++) {
        const struct sdsim_doctor_finding *finding = sdsim_doctor_finding(doctor, i);
        if (finding->count > 0 && finding->rule->severity >= least && used < size) {
            used += (size_t)snprintf(names + used, size - used, "%s%s", used > 0 ? " " : "",
                                     finding->rule->name);
        }
    }
}

const char *sdsim_test_doctor_end(struct sdsim_test_doctor *bench, enum sdsim_severity least)
{
    sdsim_spi_decoder_end(&bench->decoder);
    sdsim_doctor_end(&bench->doctor);
    sdsim_test_doctor_names(&bench->doctor, least, bench->names, sizeof bench->names);
    return bench->names;
}
