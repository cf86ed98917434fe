/*
 * The accuracy of predictions on measurements that no value was fitted to: a page in Markdown, and
 * a scatter plot of predicted against measured as a gnuplot script and its data.
 */
#ifndef SDSIM_REPORT_ACCURACY_REPORT_H
#define SDSIM_REPORT_ACCURACY_REPORT_H

#include "measure/fit.h"
#include "measure/folds.h"
#include "measure/points.h"
#include "measure/score.h"
#include "report/picture.h"

struct sdsim_accuracy {
    const struct sdsim_score *rows; /* numbered; each predicted by the fold that left it out */
    size_t count;
    struct sdsim_fit_result folds[SDSIM_FOLDS];
    struct sdsim_points points;
    size_t free_values; /* values a fit may turn */
};

/* False without memory. `picture` is the name of the scatter plot beside the page. */
bool sdsim_accuracy_markdown(const struct sdsim_accuracy *accuracy, const char *picture, FILE *out);

bool sdsim_accuracy_data(const struct sdsim_accuracy *accuracy, FILE *out);
void sdsim_accuracy_script(enum sdsim_picture_format format, const char *data, const char *picture,
                           FILE *out);

#endif
