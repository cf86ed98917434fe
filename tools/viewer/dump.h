/*
 * The viewer's state as lines of "name: value", for tests.
 */
#ifndef SDSIM_VIEWER_DUMP_H
#define SDSIM_VIEWER_DUMP_H

#include <stdio.h>

#include "app.h"

void sdsim_dump(struct sdsim_app *app, FILE *out);

#endif
