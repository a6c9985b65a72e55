/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file links.h
 * Which libraries a program is linked with, by their names without a folder.
 */
#ifndef RCUINFO_TOOLS_LINKS_H
#define RCUINFO_TOOLS_LINKS_H

/** What is called with each name, and with the caller's argument. */
typedef void links_see_t(const char *name, void *argument);

/**
 * Has the dynamic linker find all of them, as ldd does, also those that others need and those that are not there. None,
 * for what no dynamic linker starts on this machine: a script, a program that is linked statically or built for another
 * machine.
 */
void links_list(const char *path, links_see_t *see, void *argument);

#endif
