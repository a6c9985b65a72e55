# SPDX-License-Identifier: BSD-3-Clause
"""page: makes report.html from the results of all programs."""
import re
from html import escape
from pathlib import Path

from page import plots, tables
from page.results import (LIMIT, MPIS, STORE, against_peers, cells_of, mpi_cells, mpi_series, peers_of, series_of,
                          spread_point)

GLANCE_KEYS = (1, 16, 1024, 65536)
GLANCE_ROLES = ((1, 1), (4, 4))  # readers and writers whose latencies are shown

LEGEND = """<p class="legend">A cell shows how many times as fast as the peer rcuinfo is, as the median of the
ratios of all rounds:
<span class="ahead3">4× and more</span><span class="ahead2">2× to 4×</span><span class="ahead1">ahead</span>
<span class="even">about even (within 5 %)</span><span class="behind1">▼ behind</span><span class="behind2">▼ less than
half as fast</span><span class="behind3">▼ less than a quarter</span>. Hover over a cell for the times and the spread. A
row in which a peer wins has a red bar.</p>"""


def figures(drawings):
    return '<div class="plots">' + "".join(f"<figure>{svg}</figure>" for svg in drawings) + "</div>"


def over_keys(name, title, ylabel, series):
    return plots.lines(name, (title, "keys in the object", ylabel, series))


def own_text(median, unit):
    return f"{tables.number(median)} {unit}"


def peer_row(rows, measure, ratio, unit):
    """The comparisons with the peers, and the store's own number."""
    own = next((own_text(row[measure]["median"], unit) for row in rows if row["peer"] == STORE), "–")
    return against_peers(rows, measure, ratio, unit, unit != "ns"), own


# At a glance: each row is one question, with the answers of all peers.


def mpi_row(mpi, *cell):
    """The comparisons of MPI calls with plain MPI, and the store's own number."""
    comparisons = dict(mpi.get(cell, {}))
    last = next(reversed(comparisons.values()), None)
    return comparisons, own_text(last.store, last.unit) if last else "–"


# The question, the call in bench_mpi, the call and misses in bench_table, and the numbers of keys.
GLANCE_CALLS = (
    ("get, {} key{}", "get hit", ("get", 0), GLANCE_KEYS),
    ("get of a missing key, {} key{}", "get miss", ("get", 100), (16,)),
    ("set, {} key{}", "set", ("override", 0), GLANCE_KEYS),
    ("nth key, {} key{}", "get_nthkey", (), (16,)),
    ("dup and free, {} key{}", "dup + free", (), (16,)),
    ("create, 8 sets, free", "create sets free", (), (8,)),
)


def glance_one_thread(results, mpi):
    """Calls of one thread: comparisons with the table peers and with plain MPI."""
    cells = cells_of(results["bench_table"]["rows"], ("call", "misses_percent", "keys"))
    for text, call, of_table, numbers in GLANCE_CALLS:
        for keys in numbers:
            comparisons, own = mpi_row(mpi, call, keys, 0, 0)
            if (*of_table, keys) in cells:
                peers, own = peer_row(cells[(*of_table, keys)], "ns", "ratio", "ns")
                comparisons.update(peers)
            if comparisons:
                yield text.format(f"{keys:,}", "" if keys == 1 else "s"), comparisons, own


def glance_threads(results, mpi):
    """Operations of several threads on one object."""
    contended = [row for row in results["bench_contended"]["rows"] if row["objects"] == 1]
    roles = cells_of([row for row in contended if row["kind"] == "roles"], ("readers", "writers"))
    mixed = cells_of([row for row in contended if row["kind"] == "mixed"], ("threads", "sets_percent"))
    rates = ("operations_M_per_s", "operations_ratio", "M/s")
    most = max((threads for threads, _ in mixed), default=0)
    for (threads, percent), found in mixed.items():
        if threads == most:
            yield f"{tables.threads_text(threads)}, {percent:.0f} % sets", *peer_row(found, *rates)
    shared = [key[2:] for key in mpi if key[2] + key[3] > 0 and key[0] in ("gets and sets", "sets")]
    for readers, writers in dict.fromkeys([*shared, *roles]):
        call = "gets and sets" if readers and writers else "sets" if writers else "gets"
        comparisons, own = mpi_row(mpi, call, 16, readers, writers)
        if (readers, writers) in roles:
            found, own = peer_row(roles[(readers, writers)], *rates)
            comparisons.update(found)
        yield f"{tables.roles_text(readers, writers)}: {call}", comparisons, own


def glance(results):
    mpi_rows = results["bench_mpi"]["rows"] if "bench_mpi" in results else []
    mpi = mpi_cells(mpi_rows)
    one, many = list(glance_one_thread(results, mpi)), list(glance_threads(results, mpi))
    asked = {peer for _, comparisons, _ in one + many for peer in comparisons}
    peers = [*MPIS, *peers_of(results["bench_table"]["rows"] + results["bench_contended"]["rows"])]
    # The limit, with which the store does not compete, comes last.
    peers = sorted((peer for peer in dict.fromkeys(peers) if peer in asked), key=lambda peer: peer == LIMIT)
    keys = results["bench_contended"]["keys"]
    rows = [("One thread", None, ""), *one, (f"Threads on one object of {keys:.0f} keys", None, ""), *many]
    compared = [c for _, found, _ in one + many for peer, c in found.items() if c and peer != LIMIT]
    lost = [c for c in compared if c.times < 1 - tables.EVEN]
    score = [f"<div><b>{len(compared) - len(lost)} of {len(compared)}</b>comparisons below in which rcuinfo is ahead "
             "or even</div>"]
    judged = [row["met"] for row in mpi_rows if "met" in row]
    if judged:
        score.append(f"<div><b>{judged.count(1)} of {len(judged)}</b>targets of the MPI calls met</div>")
    return (f'<div class="score">{"".join(score)}</div>{LEGEND}' + tables.matrix("question", rows, peers) +
            "<p>The table peers are the store's own table with a lock (or ck_epoch), and two other tables. Without "
            "protection, the table is for one thread, or for readers only. Plain MPICH crashes if threads share an "
            "info.</p>")


# The parts of the page.


def mpi_part(result):
    rows = result["rows"]
    drawings = [over_keys("mpi_" + call.split()[0], f"{title}, one thread", "ns per call", mpi_series(rows, call))
                for call, title in (("get hit", "MPI_Info_get"), ("set", "MPI_Info_set of an existing key"),
                                    ("dup + free", "MPI_Info_dup and free"), ("get_nthkey", "MPI_Info_get_nthkey"))]
    versions = ", ".join(escape(version) for version in result["mpi"].values())
    targets = "".join(tables.plain(*table) for table in tables.targets(rows)).replace("**", "")
    return (f"<h2>MPI programs: plain, and on rcuinfo</h2><p>One program written to <code>MPI_Info_*</code> "
            f"({versions}), plain and under <code>rcuinfo run</code>. Threads share an info on Open MPI only, "
            f"as plain MPICH crashes if they do.</p>{figures(drawings)}<h3>Targets</h3>{targets}")


TITLES = {("get", 0): "get", ("get", 100): "get of missing keys",
          ("override", 0): "set of an existing key", ("insert", 0): "set of a new key"}


def tables_part(result):
    """Gets and sets by number of keys."""
    drawings = []
    for (call, misses), found in cells_of(result["rows"], ("call", "misses_percent")).items():
        what = TITLES.get((call, misses), f"{call}, {misses:.0f} % missing keys")
        drawings.append(over_keys(f"{call}_{misses:.0f}", f"{what}, one thread", "ns per call",
                                  series_of(found, "peer", "keys", "ns")))
    return ("<h2>Gets and sets, compared with other tables</h2><p>The band around rcuinfo's line is from the minimum to "
            "the maximum of the rounds.</p>" + figures(drawings))


LATENCIES = {"p50": "p50", "p99": "p99", "p99_9": "p99.9", "p99_99": "p99.99", "max": "max"}


def latency_drawings(readers, writers, rows):
    for call in ("get", "set"):
        series = {row["peer"]: [(place, *[row[f"{call}_latency_us"][key]] * 3) for place, key in enumerate(LATENCIES)]
                  for row in sorted(rows, key=lambda row: row["peer"] != STORE) if f"{call}_latency_us" in row}
        if series:
            yield plots.lines(f"latency_{call}_{readers:.0f}_{writers:.0f}", (
                f"latency of a {call}, {tables.roles_text(readers, writers)}", "percentile", "µs", series),
                log="y", labels=dict(enumerate(LATENCIES.values())))


def contended_part(result):
    drawings, latencies = [], []
    fields = ("kind", "objects", "sets_percent", "readers", "writers")
    for (kind, objects, percent, readers, writers), found in cells_of(result["rows"], fields).items():
        if kind == "mixed":
            title = f"{percent:.0f} % sets, " + ("one object" if objects == 1 else f"{objects:.0f} objects")
            drawings.append(plots.lines(f"mixed_{objects:.0f}_{percent:.0f}", (
                title, "threads", "million operations per second", series_of(found, "peer", "threads", "operations_M_per_s")),
                log=""))
        elif objects == 1 and (readers, writers) in GLANCE_ROLES:
            latencies += latency_drawings(readers, writers, found)
    return (f"<h2>Threads that share objects of {result['keys']:.0f} keys</h2>" + figures(drawings)
            + "<h3>Latency</h3><p>Of single calls. A peer without a line completed none of the timed calls, as it never "
            "got the lock.</p>" + figures(latencies))


WAYS = {"snapshot": "rcuinfo: snapshot", "nthkey": "rcuinfo: nthkey", "mpi": "rcuinfo: nthkey, get",
        "table": "table: snapshot", "nthkey_table": "table: nthkey", "mpi_table": "table: nthkey, get",
        "ghashtable": "glib"}


def iterate_part(result):
    drawings = []
    for (threads,), found in cells_of(result["rows"], ("threads",)).items():
        series = {name: [spread_point(row["keys"], row["ns"]) for row in found if row["operation"] == way]
                  for way, name in WAYS.items()}
        title = f"visiting all pairs, {tables.threads_text(threads)}"
        drawings.append(over_keys(f"iterate_{threads:.0f}", title, "ns per pair", series))
    return "<h2>Iterating</h2>" + figures(drawings)


def scale_part(result):
    """Throughput by number of threads."""
    rows, drawings = [row for row in result["rows"] if row["kind"] == "threads"], []
    for (call, infos), found in cells_of(rows, ("call", "infos")).items():
        panels = [(f"{call}, {infos}{what}", "threads", "millions per second", series_of(found, "library", "threads", measure))
                  for measure, what in tables.RATES.items() if measure in found[0]]
        drawings.append(plots.lines(re.sub(r"\W+", "_", f"scale_{infos}_{call}"), *panels, log="x"))
    return ("<h2>More threads</h2><p>The same calls by number of threads, on infos of the threads' own and on one shared "
            f"info of 16 keys. Plain MPICH may fail if threads share an info.</p>{figures(drawings)}" +
            tables.plain(*tables.scale(result["rows"])))


def numbers_part(results):
    """The rows of each program except bench_mpi, in one table for each kind of row."""
    html = ("<h2>All numbers</h2><p>bench_collective compares each call with one of plain MPI with the same bytes, which "
            "does not report failures to other processes. All processes ran on this machine, and shared its processors "
            "if there were fewer of these; mpi calls are those of the busiest process.</p>")
    for name, result in results.items():
        if name != "bench_mpi":
            kinds = cells_of(result["rows"], ("kind",)).values()
            html += f"<details><summary>{name}: all rows</summary>{''.join(map(tables.all_rows, kinds))}</details>"
    return html


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
    if "bench_scale" in results:
        body.append(scale_part(results["bench_scale"]))
    body += [tables_part(results["bench_table"]), contended_part(results["bench_contended"]),
             iterate_part(results["bench_iterate"]), numbers_part(results)]
    body.append(f"<h2>Method</h2><p>Each program measures all peers in turn in every round, and a ratio compares numbers "
                f"of the same round. Every value read is checked. Numbers are medians, with the minimum and the maximum "
                f"of the rounds in brackets. The commands:</p><pre>{escape(commands)}</pre>")
    css = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><title>rcuinfo, measured</title>'
            f"<style>{css}</style></head><body>{''.join(body)}</body></html>\n")
