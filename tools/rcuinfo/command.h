/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file command.h
 * Declarations shared by the parts of the command `rcuinfo`: one function per subcommand, and error reporting.
 *
 * A subcommand gets its own name as argv[0] and returns the process's exit status, or dies: an error is one line
 * "rcuinfo: ..." on standard error. The caller checks that the subcommand's output was written.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <rcuinfo/hints.h>

/** Exit statuses of the command itself; once it has executed a program, the status is the program's. */
enum {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1,       /**< a missing file, a violation by the store, or a finding in the input */
    COMMAND_USAGE = 2,        /**< invalid arguments */
    COMMAND_CANNOT_RUN = 126, /**< as in a shell: the program exists but cannot be executed */
    COMMAND_NOT_FOUND = 127   /**< as in a shell */
};

/** Prints "rcuinfo: " and the message as one line, and ends the process. (cppcheck ignores _Noreturn here.) */
void command_die(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/** Formats a string, which the caller frees. Ends the process if there is no memory. */
char *command_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** A long option of a subcommand. */
struct command_option {
    const char *name; /**< NULL ends a table */
    enum {
        COMMAND_FLAG,       /**< takes no argument; into: a bool */
        COMMAND_TEXT,       /**< into: a const char * */
        COMMAND_MAYBE_TEXT, /**< the same, "" without an argument */
        COMMAND_NUMBER,     /**< into: an unsigned, from least to most */
        COMMAND_CALL        /**< calls `take` with the argument */
    } kind;
    void *into;
    unsigned least, most;
    void (*take)(const char *text, void *into);
};

enum { COMMAND_OPTIONS_MOST = 8 };

/**
 * Parses the options of the subcommand named argv[0]; with `leading`, only those before its first operand. The operands
 * then begin at argv[optind]. --help and errors end the process.
 */
void command_options(int argc, char *argv[], const struct command_option *options, bool leading);

/** Parses the argument of an option: an integer from least to most. */
uint64_t command_number(const char *subcommand, const char *option, const char *text, uint64_t least, uint64_t most);

/** Prints a string as part of a line, with question marks for ASCII control characters. */
void command_print_text(const char *text);

/** The subcommands. command_run does not return on success. */
int command_run(int argc, char *argv[]);
int command_env(int argc, char *argv[]);
int command_hints(int argc, char *argv[]);
int command_stress(int argc, char *argv[]);

/** A callback that gets the path of each library, and the caller's argument. */
typedef void links_see_t(const char *path, void *argument);

/** Visits all libraries that a program needs, as ldd does, also those that other libraries need: none if it is a
 * script, or is linked statically or for another machine. */
void links_visit(const char *path, links_see_t *see, void *argument);

/** Why a program loads no preloaded library, as "is linked statically"; NULL: it does, or is a script. */
const char *links_obstacle(const char *path);

/** Whether a library, or a program, defines a dynamic symbol. */
bool links_defines(const char *path, const char *name);

/** Prints the type of a hint's values, e.g. "list of words: rar, raw, war, waw; or none". */
void hints_print_type(const rcuinfo_hint_t *hint);

/** Checks a hint file ("-": standard input) and prints the findings. `object`: RCUINFO__OBJECT_ANY for all kinds.
 * `mpis`: the libraries whose own keys are valid too, of RCUINFO__MPICH and so on, joined by |. Returns the command's
 * exit status. */
int hints_lint_file(rcuinfo_hint_object_t object, unsigned mpis, const char *name);

/** The same for one pair. */
int hints_lint_pair(rcuinfo_hint_object_t object, unsigned mpis, const char *key, const char *value);
