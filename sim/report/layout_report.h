/*
 * What the survey of a volume (fat/layout.h) found, as text of 80 columns, as JSON, and as a
 * picture.
 */
#ifndef SDSIM_REPORT_LAYOUT_REPORT_H
#define SDSIM_REPORT_LAYOUT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "fat/layout.h"
#include "fat/layout_text.h"
#include "report/json.h"
#include "report/style.h"

/* Where the parts of the volume lie and how that fits the card's AUs; `image` is the name shown.
 * False without memory. */
bool sdsim_layout_print_geometry(const struct sdsim_layout *layout, const char *image,
                                 const struct sdsim_style *style, FILE *out);

/* All of it: geometry, space, files, the chosen file, findings. False without memory. */
bool sdsim_layout_print(const struct sdsim_layout *layout, const char *image,
                        const struct sdsim_style *style, FILE *out);

/* The same as members of the JSON object at hand: the geometry, and all the rest. */
void sdsim_layout_json_geometry(const struct sdsim_layout *layout, const char *image,
                                struct sdsim_json *json);
void sdsim_layout_json_survey(const struct sdsim_layout *layout, struct sdsim_json *json);

#endif
