# SPDX-License-Identifier: BSD-3-Clause
"""page: report.html out of the results of all programs."""
from html import escape
from pathlib import Path

from page import plots, tables
from page.results import (LIMIT, MPIS, STORE, against_peers, cells_of, mpi_cells, mpi_series, peer_series,
                          peers_of, spread_point)

GLANCE_KEYS = (1, 16, 1024, 65536)
TABLE_FIELDS = ("call", "threads", "misses_percent", "keys")
GLANCE_ROLES = ((1, 1), (4, 4))  # readers and writers whose latencies are always seen

LEGEND = """<p class="legend">Cells say how many times as fast rcuinfo is as the peer, as the median of the
rounds' ratios:
<span class="ahead3">4× and more</span><span class="ahead2">2× to 4×</span><span class="ahead1">ahead</span>
<span class="even">about even (within 5 %)</span><span class="behind1">▼ behind</span><span class="behind2">▼ less than half
as fast</span><span class="behind3">▼ less than a quarter</span>. Point at a cell for the times and the spread. A row in
which a peer wins has a red bar.</p>"""


def figures(drawings):
    return '<div class="plots">' + "".join(f"<figure>{svg}</figure>" for svg in drawings) + "</div>"


def over_keys(name, title, ylabel, series, **options):
    return plots.lines(name, title, "keys in the object", ylabel, series, **options)


def each_of(threads):
    return "one thread" if threads == 1 else f"each of {threads:.0f} threads"


def objects_text(objects):
    return "one object" if objects == 1 else f"{objects:.0f} objects"


def fold(summary, html):
    return f"<details><summary>{escape(summary)}</summary>{html}</details>"


def own_text(median, unit):
    return f"{tables.number(median)} {unit}"


def peer_row(labels, rows, measure="ns", ratio="ratio", unit="ns"):
    own = next((own_text(row[measure]["median"], unit) for row in rows if row["peer"] == STORE), "–")
    return labels, against_peers(rows, measure, ratio, unit, unit != "ns"), own


def rate_row(labels, rows):
    return peer_row(labels, rows, "operations_M_per_s", "operations_ratio", "M/s")


def columns_of(peers):
    """Without the store, which has its own column; the limit, which is no peer to win against, comes last."""
    return sorted((peer for peer in peers if peer != STORE), key=lambda peer: peer == LIMIT)


# At a glance: rows of one question each, against everyone who was asked it.


def mpi_row(mpi, *cell):
    """What MPI calls take on plain MPI, and on the store."""
    comparisons = dict(mpi.get(cell, {}))
    last = next(reversed(comparisons.values()), None)
    return comparisons, own_text(last.store, last.unit) if last else "–"


# A question, the call of bench_mpi, that of bench_table with its misses, and numbers of keys.
GLANCE_CALLS = (
    ("get, {} key{}", "get hit", ("get", 0), GLANCE_KEYS),
    ("get of a key that is not there, {} key{}", "get miss", ("get", 100), (16,)),
    ("set, {} key{}", "set", ("override", 0), GLANCE_KEYS),
    ("nth key, {} key{}", "get_nthkey", None, (16,)),
    ("dup and free, {} key{}", "dup + free", None, (16,)),
    ("create, 8 sets, free", "create 8 sets free", None, (8,)),
)


def glance_one_thread(results, mpi):
    """Calls of one thread: times of the table peers, and those that MPI calls take on plain MPI."""
    cells = cells_of(results["bench_table"]["rows"], TABLE_FIELDS)
    rows = []
    for text, call, of_table, numbers in GLANCE_CALLS:
        for keys in numbers:
            comparisons, own = mpi_row(mpi, call, keys, 0, 0)
            found = of_table and cells.get((of_table[0], 1, of_table[1], keys))
            if found:
                _, peers, own = peer_row([], found)
                comparisons.update(peers)
            if comparisons:
                rows.append(([text.format(f"{keys:,}", "" if keys == 1 else "s")], comparisons, own))
    return rows


def glance_threads(results, mpi):
    """Operations of several threads on one object."""
    contended = [row for row in results["bench_contended"]["rows"] if row["objects"] == 1]
    roles = cells_of([row for row in contended if row["kind"] == "roles"], ("readers", "writers"))
    mixed = cells_of([row for row in contended if row["kind"] == "mixed"], ("threads", "sets_percent"))
    most = max((threads for threads, _ in mixed), default=0)
    rows = [rate_row([f"{tables.threads_text(threads)}, {percent:.0f} % sets"], found)
            for (threads, percent), found in mixed.items() if threads == most]
    shared = [key[2:] for key in mpi if key[2] + key[3] > 0 and key[0] in ("gets and sets", "sets")]
    for readers, writers in dict.fromkeys([*shared, *roles]):
        call = "gets and sets" if readers and writers else "sets" if writers else "gets"
        comparisons, own = mpi_row(mpi, call, 16, readers, writers)
        if (readers, writers) in roles:
            _, found, own = rate_row([], roles[(readers, writers)])
            comparisons.update(found)
        rows.append(([f"{tables.roles_text(readers, writers)}: {call}"], comparisons, own))
    return rows


def glance(results):
    mpi_rows = results["bench_mpi"]["rows"] if "bench_mpi" in results else []
    mpi = mpi_cells(mpi_rows)
    one, many = glance_one_thread(results, mpi), glance_threads(results, mpi)
    peers = columns_of(dict.fromkeys(
        [*MPIS, *peers_of(results["bench_table"]["rows"]), *peers_of(results["bench_contended"]["rows"])]))
    peers = [peer for peer in peers if any(peer in row[1] for row in one + many)]
    keys = results["bench_contended"]["keys"]
    rows = [(["One thread"], None, ""), *one, ([f"Threads on one object of {keys:.0f} keys"], None, ""), *many]
    compared = [c for _, found, _ in one + many for peer, c in found.items() if c and peer != LIMIT]
    lost = [c for c in compared if c.times < 1 - tables.EVEN]
    score = [f"<div><b>{len(compared) - len(lost)} of {len(compared)}</b>comparisons below in which rcuinfo is ahead "
             "or even</div>"]
    judged = [row["met"] for row in mpi_rows if "met" in row]
    if judged:
        score.append(f"<div><b>{judged.count(1)} of {len(judged)}</b>targets of the calls of MPI met</div>")
    return (f'<div class="score">{"".join(score)}</div>{LEGEND}' + tables.matrix(["question"], rows, peers) +
            "<p>The table peers are the store's own table behind a lock (or ck_epoch), and two other tables; without "
            "protection at all, it can only serve one thread, or readers. Plain MPICH crashes when threads share an "
            "info.</p>")


# The parts of the page.


def mpi_part(result):
    rows = result["rows"]
    drawings = [over_keys("mpi_" + call.split()[0], f"{title}, one thread", "ns per call", mpi_series(rows, call))
                for call, title in (("get hit", "MPI_Info_get"), ("set", "MPI_Info_set of a key that is there"),
                                    ("dup + free", "MPI_Info_dup and free"), ("get_nthkey", "MPI_Info_get_nthkey"))]
    shared = [row for row in rows if row["against"] == "Open MPI" and row["unit"] == "M/s" and row["writers"]]
    for call in ("gets", "sets"):
        mine = [row for row in shared if row["call"] == call]
        if mine:
            drawings.append(plots.bars(
                "mpi_shared_" + call, f"threads on one info: MPI_Info_{call[:-1]}",
                "readers + writers", f"million {call} a second",
                [f"{row['readers']:.0f} + {row['writers']:.0f}" for row in mine],
                {"rcuinfo on Open MPI": [row["rcuinfo"]["median"] for row in mine],
                 "Open MPI": [row["other"]["median"] for row in mine]}))
    versions = ", ".join(escape(version) for version in result["mpi"].values())
    return (f"<h2>MPI programs: plain, and on rcuinfo</h2><p>One program written to <code>MPI_Info_*</code> "
            f"({versions}), as it is and under <code>rcuinfo run</code>. Threads share an info on Open MPI only, "
            f"because plain MPICH crashes then; readers + writers on the axis.</p>"
            + figures(drawings) + "<h3>Targets</h3>" + tables.targets(rows))


TITLES = {("get", 0): "get", ("get", 100): "get of keys that are not there", ("override", 0): "set of a key that is there",
          ("insert", 0): "set of a new key"}


def tables_part(result):
    """Gets and sets over keys."""
    rows = result["rows"]
    drawings = []
    for (call, threads, misses), found in cells_of(rows, TABLE_FIELDS[:-1]).items():
        what = TITLES.get((call, misses), f"{call}, {misses:.0f} % not there")
        who = each_of(threads) + (" on one object" if threads > 1 else "")
        drawings.append(over_keys(f"{call}_{threads:.0f}_{misses:.0f}", f"{what}, {who}", "ns per call",
                                  peer_series(found, "keys", "ns")))
    cells = [peer_row([call, f"{threads:.0f}", f"{misses:.0f} %", f"{keys:,.0f}"], found)
             for (call, threads, misses, keys), found in sorted(cells_of(rows, TABLE_FIELDS).items())]
    return ("<h2>Gets and sets, against other tables</h2><p>The band around rcuinfo's line is from the least to the "
            "most of the rounds.</p>" + figures(drawings)
            + fold("bench_table: all rows",
                   tables.matrix(["call", "threads", "misses", "keys"], cells, columns_of(peers_of(rows)))))


LATENCIES = {"p50": "p50", "p99": "p99", "p99_9": "p99.9", "p99_99": "p99.99", "max": "max"}


def latency_drawing(name, title, rows, measure):
    series = {row["peer"]: [(place, *[row[measure][key]] * 3) for place, key in enumerate(LATENCIES)]
              for row in sorted(rows, key=lambda row: row["peer"] != STORE) if measure in row}
    if not series:
        return []
    return [plots.lines(name, title, "percentile", "µs", series, log="y", labels=dict(enumerate(LATENCIES.values())))]


def contended_label(row):
    objects = objects_text(row["objects"])
    if row["kind"] == "mixed":
        return [objects, tables.threads_text(row["threads"]), f"{row['sets_percent']:.0f} % sets"]
    return [objects, tables.roles_text(row["readers"], row["writers"]), ""]


def contended_part(result):
    rows = result["rows"]
    fields = ("kind", "objects", "threads", "sets_percent", "readers", "writers")
    drawings = []
    for (objects, percent), found in cells_of([row for row in rows if row["kind"] == "mixed"],
                                              ("objects", "sets_percent")).items():
        title = f"{percent:.0f} % sets, {objects_text(objects)}"
        drawings.append(plots.lines(f"mixed_{objects:.0f}_{percent:.0f}", title, "threads",
                                    "million operations a second", peer_series(found, "threads", "operations_M_per_s"),
                                    log=""))
    latencies, more = [], []
    for (readers, writers), found in cells_of([row for row in rows if row["kind"] == "roles" and row["objects"] == 1],
                                              ("readers", "writers")).items():
        who = tables.roles_text(readers, writers)
        for measure, what in (("get_latency_us", "get"), ("set_latency_us", "set")):
            to = latencies if (readers, writers) in GLANCE_ROLES else more
            to += latency_drawing(f"latency_{what}_{readers:.0f}_{writers:.0f}", f"latency of a {what}, {who}", found,
                                  measure)
    cells = [rate_row(contended_label(found[0]), found) for found in cells_of(rows, fields).values()]
    store = [row for row in rows if row["peer"] == STORE]
    return (f"<h2>Threads that share objects of {result['keys']:.0f} keys</h2>" + figures(drawings)
            + "<h3>Latency</h3><p>Of single calls. A peer without a line had not one call done of those that were "
            "timed: it was never let in.</p>" + figures(latencies)
            + (fold("latency: other numbers of readers and writers", figures(more)) if more else "")
            + fold("bench_contended: all rows (gets and sets together)",
                   tables.matrix(["objects", "threads", "sets"], cells, columns_of(peers_of(rows))))
            + fold("rcuinfo: gets, sets, grace periods", tables.all_rows(store)))


WAYS = {"snapshot": "rcuinfo: snapshot", "nthkey": "rcuinfo: nthkey", "mpi": "rcuinfo: nthkey, get",
        "table": "table: snapshot", "nthkey_table": "table: nthkey", "mpi_table": "table: nthkey, get",
        "ghashtable": "glib"}


def iterate_part(result):
    drawings = []
    for (threads,), found in cells_of(result["rows"], ("threads",)).items():
        series = {name: [spread_point(row["keys"], row["ns"]) for row in found if row["operation"] == way]
                  for way, name in WAYS.items()}
        title = f"visiting all pairs, {each_of(threads)}"
        drawings.append(over_keys(f"iterate_{threads:.0f}", title, "ns per pair", series))
    return drawings, fold("bench_iterate: all rows, ns per pair", tables.all_rows(result["rows"]))


def lifecycle_part(result):
    rows = result["rows"]
    mine = [row for row in rows if row["threads"] == 1 and not row["shared"] and row["keys"]
            and not row["operation"].startswith("empty")]
    series = {operation: [spread_point(row["keys"], row["ns"]) for row in found]
              for (operation,), found in cells_of(mine, ("operation",)).items()}
    drawing = over_keys("lifecycle", "dup, snapshots and packing, one thread", "ns per operation", series)
    return [drawing], fold("bench_lifecycle: all rows", tables.all_rows(rows))


def memory_part(result):
    objects = [row for row in result["rows"] if row["kind"] == "object"]
    storms = [row for row in result["rows"] if row["kind"] == "storm"]
    series = {f"values of {value_bytes:.0f} bytes": [(row["keys"], *[row["over_per_pair"]] * 3) for row in found]
              for (value_bytes,), found in cells_of(objects, ("value_bytes",)).items()}
    drawing = over_keys("memory", "memory beside the strings themselves", "bytes per pair", series, log="x")
    return [drawing], (fold("bench_memory: objects", tables.all_rows(objects))
                      + fold("bench_memory: a storm of writers", tables.all_rows(storms)))


def objects_part(results):
    parts = [iterate_part(results["bench_iterate"]), lifecycle_part(results["bench_lifecycle"]),
             memory_part(results["bench_memory"])]
    return ("<h2>Iterating, dup, memory</h2>" + figures([svg for drawings, _ in parts for svg in drawings])
            + "".join(html for _, html in parts)
            + fold("bench_hints: all rows (plain: one atomic load in a read section)",
                   tables.all_rows(results["bench_hints"]["rows"])))


def collective_part(result):
    """Calls over the processes of a communicator."""
    return ("<h2>Infos across processes</h2><p>Beside each call one of plain MPI with the same bytes, which need not be "
            "told of anybody's failure. All processes ran on this machine: where they were more than its processors, "
            "growth is that of sharing these; mpi calls are those of the busiest process.</p>"
            + fold("bench_collective: all rows", tables.all_rows(result["rows"])))


def make(record):
    """The page of a record: {"date", "mode", "seconds", "runs": [{"command", "result"}]}."""
    results = {run["result"]["bench"]: run["result"] for run in record["runs"]}
    first = record["runs"][0]["result"]
    meta = (f"{first['machine']}, {first['cores']:.0f} cores · {first['compiler']}, {first['build']} · commit "
            f"{first['commit']} · {record['date']} · {record['mode']}, {record['seconds']:.0f} s")
    commands = "\n".join(run["command"] for run in record["runs"])
    body = [f'<h1>rcuinfo, measured</h1><p class="meta">{escape(meta)}</p>', glance(results)]
    if "bench_mpi" in results:
        body.append(mpi_part(results["bench_mpi"]))
    body += [tables_part(results["bench_table"]), contended_part(results["bench_contended"]), objects_part(results)]
    if "bench_collective" in results:
        body.append(collective_part(results["bench_collective"]))
    body.append(f"<h2>How it was measured</h2><p>Each program measures all peers in turn in every round, so that a "
                f"ratio compares what was measured side by side; every value read is checked. Numbers are medians, and "
                f"in brackets the least and the most of the rounds. The commands:</p><pre>{escape(commands)}</pre>")
    css = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>rcuinfo, measured</title>'
            f"<style>{css}</style></head><body>{''.join(body)}</body></html>\n")
