# SPDX-License-Identifier: BSD-3-Clause
"""
results: a uniform view of the programs' results. A Comparison has how many times as fast as a peer the store is, whether
the program measured times or rates, and whichever way its ratios are.
"""
from collections import namedtuple
from math import inf

STORE = "rcuinfo"
LIMIT = "unprotected"
MPIS = ("MPICH", "Open MPI")


# The store compared with one peer: `times` as fast, from `low` to `high` in the rounds.
Comparison = namedtuple("Comparison", "times low high store peer unit")


def compare(ratio, store, peer, unit, more_is_better):
    """In the JSON, the infinite ratio to a peer that did nothing in a round is null; a ratio of times is 0 if the store's
    was too short for the clock."""
    if ratio is None:
        return None
    low, times, high = (inf if ratio[end] is None else ratio[end] for end in ("min", "median", "max"))
    if not more_is_better:
        low, times, high = (1 / end if end else inf for end in (high, times, low))
    return Comparison(times, low, high, store["median"], peer["median"], unit)


def cells_of(rows, fields):
    """The rows of each cell, i.e. with the same values of these fields; cells are in the order of their first rows."""
    cells = {}
    for row in rows:
        cells.setdefault(tuple(row.get(field) for field in fields), []).append(row)
    return cells


def peers_of(rows):
    """The names of the peers, in the order of the program."""
    return list(dict.fromkeys(row["peer"] for row in rows))


def against_peers(rows, measure, ratio, unit, more_is_better):
    """{peer: Comparison} of the rows of one cell, without the store itself."""
    store = next((row for row in rows if row["peer"] == STORE), {})
    return {row["peer"]: compare(row.get(ratio), store[measure], row[measure], unit, more_is_better)
            for row in rows if row["peer"] != STORE and measure in store}


def mpi_cells(rows):
    """{(call, keys, readers, writers): {MPI: Comparison}} of bench_mpi, without comparisons of the store with itself."""
    cells = cells_of([row for row in rows if row["against"] in MPIS], ("call", "keys", "readers", "writers"))
    fields = ("ratio", "rcuinfo", "other", "unit", "more_is_better")
    return {key: {row["against"]: compare(*(row[field] for field in fields)) for row in found}
            for key, found in cells.items()}


def spread_point(x, spread):
    return x, spread["median"], spread["min"], spread["max"]


def mpi_series(rows, call):
    """Lines by number of keys: each MPI, and the same program on the store."""
    series = {}
    for mpi in MPIS:
        mine = [row for row in rows
                if row["call"] == call and row["against"] == mpi and row["readers"] + row["writers"] == 0]
        if mine:
            series[mpi] = [spread_point(row["keys"], row["other"]) for row in mine]
            series[f"rcuinfo on {mpi}"] = [spread_point(row["keys"], row["rcuinfo"]) for row in mine]
    return dict(sorted(series.items(), key=lambda item: not item[0].startswith(STORE)))


def series_of(rows, name, x, measure):
    """Lines by the field x, one for each value of the field `name`, the store first. A row that failed has no measure."""
    cells = cells_of([row for row in rows if measure in row], (name,))
    lines = {value: [spread_point(row[x], row[measure]) for row in found] for (value,), found in cells.items()}
    return dict(sorted(lines.items(), key=lambda item: item[0] != STORE))
