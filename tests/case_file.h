/*
 * Cases: what users asked, as commands of sdsim and what they must answer. One file a case,
 * tests/cases/NAME.case, to be read by people first:
 *
 *     # After a multi-block write the card fails on the next command ...
 *     #
 *     # https://github.com/...
 *
 *     $ sdsim doctor tests/data/exchanges/stop-token-early.txt
 *     exit 1
 *     says busy polled too early after stop token
 *     lacks no response
 *
 *     $ sdsim run tests/cases/BR-003.yaml --json
 *     as old
 *     number runs.first.predicted 0.9e6..1.1e6
 *     ratio old:runs.second.predicted old:runs.first.predicted 2.2..2.9
 *
 * `$` runs a command from the top folder, over the shipped profiles; words may be 'quoted'. A `|` word
 * is followed by a second sdsim command, which gets what the first one printed as its standard input;
 * only the last one's answers count.
 *
 *     exit N              its exit code; 0 where none is asked for
 *     says TEXT           its output has this text, spaces and line ends aside; `lacks TEXT`: hasn't
 *     warns TEXT          the same of its diagnostics
 *     as NAME             its output is JSON, kept under NAME for `ratio` further down
 *     number PATH A..B    a number in its JSON, both ends included; PATH as in capture_json.h, and in
 *                         lists also the `id` of an element
 *     ratio NAME:PATH NAME:PATH A..B
 *                         the first number divided by the second
 *
 * Every command needs at least one line that could fail besides `exit`.
 * Limits: lines of 1000 bytes, 64 words a command, 16 names a file.
 */
#ifndef SDSIM_TEST_CASE_FILE_H
#define SDSIM_TEST_CASE_FILE_H

/* Runs one case; everything fails through cmocka, with file and line. */
void sdsim_test_case(const char *path);

#endif
