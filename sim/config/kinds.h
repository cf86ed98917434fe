/*
 * The kinds of files there are (`kind: ...`), in the order lists have them, and the folder of the
 * data directory in which each is looked for by name.
 *
 *     X(kind, "folder")
 *
 * The schema of a kind is sdsim_KIND_schema (setup/schemas.h).
 */
#ifndef SDSIM_CONFIG_KINDS_H
#define SDSIM_CONFIG_KINDS_H

#define SDSIM_KIND_LIST(X)                                                                         \
    X(scenario, "scenarios")                                                                       \
    X(board, "scenarios/boards")                                                                   \
    X(host, "scenarios/hosts")                                                                     \
    X(driver, "scenarios/drivers")                                                                 \
    X(card, "cards")

#endif
