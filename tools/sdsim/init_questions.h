/*
 * What `init` has to know before it can write a scenario, one question each: how it is asked, what
 * answers it takes, what goes into the file.
 *
 * Answers come from options or from somebody at a terminal; both are checked by the same rules, which
 * are those of the profiles there are and of the schema of scenarios. An answer that passes is safe to
 * be written into YAML.
 */
#ifndef SDSIM_TOOLS_INIT_QUESTIONS_H
#define SDSIM_TOOLS_INIT_QUESTIONS_H

#include <stdio.h>

#include "options.h"
#include "session.h"
#include "setup/setup.h"

enum sdsim_question {
    SDSIM_ASK_BOARD,
    SDSIM_ASK_HOST,
    SDSIM_ASK_DRIVER,
    SDSIM_ASK_BUS,
    SDSIM_ASK_CLOCK,
    SDSIM_ASK_CARD,
    SDSIM_ASK_FILESYSTEM,
    SDSIM_ASK_API,
    SDSIM_ASK_WORKLOAD,
    SDSIM_ASK_CALL,
    SDSIM_ASK_TOTAL,
    SDSIM_ASK_SPAN,
    SDSIM_ASK_LINES,
    SDSIM_ASK_TIMES,
    SDSIM_ASK_FILES,
    SDSIM_ASK_SYNC_EVERY,
    SDSIM_ASK_MEASURED,
    SDSIM_QUESTIONS
};

/* The answers, NULL where there is none. Texts belong to whoever gave them. */
struct sdsim_answers {
    const char *texts[SDSIM_QUESTIONS];
    bool fat32_for_firmware; /* chosen because the firmware can't read exFAT */
};

/* Which option gives the answer, the question's words for people ("board"), how it is asked
 * ("Which board?") and what stands for no answer (NULL: nothing does). */
enum sdsim_option_id sdsim_question_option(enum sdsim_question question);
const char *sdsim_question_noun(enum sdsim_question question);
const char *sdsim_question_prompt(enum sdsim_question question);
const char *sdsim_question_usual(enum sdsim_question question);

/* Whether a workload has anything to do with the question ("write" knows no lines). `action` is an
 * answer to SDSIM_ASK_WORKLOAD. */
bool sdsim_question_fits(enum sdsim_question question, const char *action);

/* Whether `text` answers the question. If not, a message with the closest and all valid answers goes
 * to stderr. */
bool sdsim_question_takes(enum sdsim_question question, struct sdsim_cli_session *session,
                          const char *text);

/* Prints what there is to choose from, if it is a choice. */
void sdsim_question_list(enum sdsim_question question, struct sdsim_cli_session *session,
                         FILE *out);

/*
 * The file API of a set-up that has no board: as the boards with this driver have it, those with this
 * host first; else, if the host has no costs for what a scenario has by itself, one that it has costs
 * for. NULL: nothing has to be said.
 */
const char *sdsim_init_usual_api(struct sdsim_cli_session *session, const char *driver,
                                 const char *host, const struct sdsim_setup *setup);

/* Prints the scenario. */
void sdsim_init_write(const struct sdsim_answers *answers, FILE *out);

#endif
