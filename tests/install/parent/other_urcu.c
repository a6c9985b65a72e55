/* SPDX-License-Identifier: BSD-3-Clause */
/* A library of the other project on its own flavour of liburcu. */
#include <urcu/urcu-memb.h>

void other_urcu_wait(void);

void other_urcu_wait(void)
{
    urcu_memb_synchronize_rcu();
}
