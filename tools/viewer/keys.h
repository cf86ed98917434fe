/*
 * What keys do. One table says which key means which action; the help overlay tells people.
 */
#ifndef SDSIM_VIEWER_KEYS_H
#define SDSIM_VIEWER_KEYS_H

#include "app.h"

/* A key by its name: "w", "F", "left", "space", "escape", "?", ...; shift makes letters large. */
void sdsim_key(struct sdsim_app *app, const char *key);

/* Text typed while the search line is open. */
void sdsim_type(struct sdsim_app *app, const char *text);

#endif
