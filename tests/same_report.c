#include "same_report.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

void sdsim_test_same_report(const struct sdsim_outcome_report *a,
                            const struct sdsim_outcome_report *b)
{
    const struct sdsim_pc_mount *mounts[] = {&a->workload.mounted, &b->workload.mounted};
    const struct sdsim_geometry *volumes[] = {&a->workload.volume, &b->workload.volume};
    assert_int_equal(mounts[0]->fat_sectors, mounts[1]->fat_sectors);
    assert_int_equal(mounts[0]->bitmap_sectors, mounts[1]->bitmap_sectors);
    assert_int_equal(mounts[0]->root_sectors, mounts[1]->root_sectors);
    assert_int_equal(mounts[0]->request, mounts[1]->request);
    assert_int_equal(volumes[0]->type, volumes[1]->type);
    assert_int_equal(volumes[0]->start, volumes[1]->start);
    assert_int_equal(volumes[0]->clusters, volumes[1]->clusters);
    struct sdsim_outcome_report rest[] = {*a, *b};
    for (int i = 0; i < 2; i++) {
        memset(&rest[i].workload.mounted, 0, sizeof rest[i].workload.mounted);
        memset(&rest[i].workload.volume, 0, sizeof rest[i].workload.volume);
    }
    assert_memory_equal(&rest[0], &rest[1], sizeof rest[0]);
}
