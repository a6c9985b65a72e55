/* SPDX-License-Identifier: BSD-3-Clause */
/** @file rcuinfo.h All of the native interface. Start reading in info.h. */
#ifndef RCUINFO_RCUINFO_H
#define RCUINFO_RCUINFO_H

#include <rcuinfo/env.h>
#include <rcuinfo/hints.h>
#include <rcuinfo/info.h>
#include <rcuinfo/pack.h>
#include <rcuinfo/snapshot.h>
#include <rcuinfo/store.h>
#include <rcuinfo/update.h>
#include <rcuinfo/value.h>
#include <rcuinfo/version.h>

#endif
