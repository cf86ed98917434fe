#include "core/sorted.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

void sdsim_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
}

double sdsim_quantile(const double *sorted, size_t count, double share)
{
    return sorted[(size_t)(share * (double)(count - 1) + 0.5)];
}

double sdsim_median(double *values, size_t count)
{
    sdsim_sort(values, count);
    return (values[(count - 1) / 2] + values[count / 2]) / 2.0;
}
