/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file command.h
 * What the parts of the command `rcuinfo` share: one function per subcommand, and how they complain.
 *
 * A subcommand gets its own name as argv[0] and returns the process's exit status, or dies: what is wrong goes to the
 * standard error output as one line "rcuinfo: ...". That its output was written is checked where it was called.
 */
#ifndef RCUINFO_TOOLS_COMMAND_H
#define RCUINFO_TOOLS_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include <rcuinfo/hints.h>

/** Exit statuses of our own; once a program was executed the status is the program's. */
enum {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1, /**< something is missing on this machine, or wrong with the store or with what was given */
    COMMAND_USAGE = 2,  /**< we were called in a way that cannot work */
    COMMAND_CANNOT_RUN = 126, /**< as in a shell: the program is there and cannot be executed */
    COMMAND_NOT_FOUND = 127   /**< as in a shell */
};

/** Prints "rcuinfo: " and the message, a line, and ends the process. (cppcheck does not see a _Noreturn.) */
void command_die(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/** A text, which the caller frees; without memory the process ends. */
char *command_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** A long option of a subcommand. */
struct command_option {
    const char *name; /**< NULL ends a table */
    enum {
        COMMAND_FLAG,       /**< takes no argument; into: a bool */
        COMMAND_TEXT,       /**< into: a const char * */
        COMMAND_MAYBE_TEXT, /**< the same, "" without an argument */
        COMMAND_NUMBER,     /**< into: an unsigned, from least to most */
        COMMAND_CALL        /**< `take` gets the argument */
    } kind;
    void *into;
    unsigned least, most;
    void (*take)(const char *text, void *into);
};

enum { COMMAND_OPTIONS_MOST = 8 };

/**
 * Reads the options of a subcommand, of which argv[0] is the name: with `leading`, those before its first operand.
 * The operands begin at argv[optind]; --help and what is wrong end the process.
 */
void command_options(int argc, char *argv[], const struct command_option *options, bool leading);

/** A whole number from least to most, the argument of that option. */
uint64_t command_number(const char *subcommand, const char *option, const char *text, uint64_t least, uint64_t most);

/** Prints a text as a part of one line: control characters of ASCII are shown as question marks. */
void command_print_text(const char *text);

/** The subcommands. That of `run` does not return when all is well. */
int command_run(int argc, char *argv[]);
int command_env(int argc, char *argv[]);
int command_hints(int argc, char *argv[]);
int command_stress(int argc, char *argv[]);

/** What is called with each name, and with the caller's argument. */
typedef void links_see_t(const char *name, void *argument);

/**
 * Reads those that the program at path names itself. Returns false, having called nothing, for what no dynamic linker
 * starts on this machine: a script, a program that is linked statically or built for another machine.
 */
bool links_direct(const char *path, links_see_t *see, void *argument);

/** Has the dynamic linker find all of them, as ldd does, also those that others need and those that are not there. */
void links_all(const char *path, links_see_t *see, void *argument);

/** Prints what a value of the row has to be, as "list of words: rar, raw, war, waw; or none". */
void hints_print_type(const rcuinfo_hint_t *hint);

/** Checks a hint file (`object`: RCUINFO_HINT_OBJECTS for all kinds), the standard input for "-", and prints what it
 * finds. Keys that libraries look up (a sum of enum rcuinfo__mpi) are no finding. Returns the command's exit status. */
int hints_lint_file(rcuinfo_hint_object_t object, unsigned mpis, const char *name);

/** The same of one pair. */
int hints_lint_pair(rcuinfo_hint_object_t object, unsigned mpis, const char *key, const char *value);

#endif
