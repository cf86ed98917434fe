#include "thumb_paths.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTIONS_MAX = 4000, NOT_YET = -10, ON_THE_WAY = -11 };

enum flow { NEXT, RETURN, JUMP, BRANCH, CALL };

struct instruction {
    unsigned long address;
    enum flow flow;
    unsigned long target; /* of JUMP, BRANCH, CALL */
    bool left_out;        /* CALL: paths through it don't count */
    int longest;          /* from here to the return, or NOT_YET, ON_THE_WAY */
};

struct program {
    struct instruction instructions[INSTRUCTIONS_MAX];
    size_t count;
    unsigned long entry;
    const char *without;
};

static bool begins(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

/* What an instruction does to the flow; `text` is its mnemonic and operands. */
static enum flow flow_of(const char *text, unsigned long *target)
{
    const char *operands = strchr(text, '\t');
    *target = operands == NULL ? 0 : strtoul(operands + 1, NULL, 16);
    if (begins(text, "bl\t")) {
        return CALL;
    }
    if (begins(text, "b.n\t") || begins(text, "b.w\t") || begins(text, "b\t")) {
        return JUMP;
    }
    if (begins(text, "bx\t") || (begins(text, "pop") && strstr(text, "pc}") != NULL)) {
        return RETURN;
    }
    /* beq, bne, ...: a `b` and two letters of a condition; not bic, bics */
    const bool conditional = text[0] == 'b' && strcspn(text, ".\t") == 3 && !begins(text, "bic");
    return conditional ? BRANCH : NEXT;
}

static void read_line(struct program *program, const char *line, const char *function)
{
    char *end;
    const unsigned long address = strtoul(line, &end, 16);
    char label[200];
    if (sscanf(end, " <%199[^>]>:", label) == 1) {
        program->entry = strcmp(label, function) == 0 ? address : program->entry;
        return;
    }
    const char *code =
        end != line && end[0] == ':' && end[1] == '\t' ? strchr(end + 2, '\t') : NULL;
    if (code != NULL && program->count < INSTRUCTIONS_MAX) {
        struct instruction *instruction = &program->instructions[program->count++];
        instruction->address = address;
        instruction->flow = flow_of(code + 1, &instruction->target);
        instruction->longest = NOT_YET;
        const char *called = strchr(code, '<');
        instruction->left_out =
            program->without != NULL && called != NULL && begins(called + 1, program->without);
    }
}

static struct instruction *find(struct program *program, unsigned long address)
{
    for (size_t i = 0; i < program->count; i++) {
        if (program->instructions[i].address == address) {
            return &program->instructions[i];
        }
    }
    return NULL;
}

static int longest_from(struct program *program, unsigned long address);

/* Adds two lengths, either of which may be a fault. */
static int sum(int a, int b)
{
    return a < 0 ? a : b < 0 ? b : a + b;
}

static int longer(int a, int b)
{
    if (a == SDSIM_THUMB_NO_PATH) {
        return b;
    }
    if (b == SDSIM_THUMB_NO_PATH) {
        return a;
    }
    return a < 0 ? a : b < 0 ? b : a > b ? a : b;
}

static int work_out(struct program *program, const struct instruction *instruction)
{
    const struct instruction *next = instruction + 1;
    switch (instruction->flow) {
    case RETURN:
        return 1;
    case JUMP:
        return sum(1, longest_from(program, instruction->target));
    case BRANCH:
        return sum(1, longer(longest_from(program, instruction->target),
                             longest_from(program, next->address)));
    case CALL: {
        const int called = instruction->left_out ? SDSIM_THUMB_NO_PATH
                                                 : longest_from(program, instruction->target);
        return sum(1, sum(called, longest_from(program, next->address)));
    }
    default:
        return sum(1, longest_from(program, next->address));
    }
}

static int longest_from(struct program *program, unsigned long address)
{
    struct instruction *instruction = find(program, address);
    if (instruction == NULL || instruction == &program->instructions[program->count - 1]) {
        return SDSIM_THUMB_UNKNOWN;
    }
    if (instruction->longest == ON_THE_WAY) {
        return SDSIM_THUMB_LOOP;
    }
    if (instruction->longest == NOT_YET) {
        instruction->longest = ON_THE_WAY;
        instruction->longest = work_out(program, instruction);
    }
    return instruction->longest;
}

int sdsim_thumb_longest_path(const char *disassembly, const char *function, const char *without)
{
    struct program *program = calloc(1, sizeof *program);
    if (program == NULL) {
        return SDSIM_THUMB_UNKNOWN;
    }
    program->without = without;
    for (const char *line = disassembly; *line != '\0';) {
        char copy[300];
        const size_t length = strcspn(line, "\n");
        (void)snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        read_line(program, copy, function);
        line += length;
        line += *line == '\n';
    }
    const int longest =
        program->entry == 0 ? SDSIM_THUMB_UNKNOWN : longest_from(program, program->entry);
    free(program);
    return longest;
}
