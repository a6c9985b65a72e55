# SPDX-License-Identifier: BSD-3-Clause
"""tables: comparisons and numbers as HTML or Markdown tables. Cells in which a peer wins are red, with a triangle."""
from html import escape

from page.results import LIMIT, MPIS, STORE, cells_of

EVEN = 0.05  # ratios that differ from 1 by less than this are even
NAMES = {
    LIMIT: "no protection (the limit)", "mutex": "pthread mutex", "glib": "GLib GHashTable",
    "rculfhash": "liburcu rculfhash", "MPICH": "plain MPICH", "Open MPI": "plain Open MPI",
}


def number(value):
    """Three significant digits, with commas between thousands."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def times_text(times):
    return "> 1,000×" if times > 1000 else f"{number(times)}×"


def shade(times):
    """The CSS class for how far ahead or behind the store is."""
    if abs(times - 1) < EVEN:
        return "even"
    lead = max(times, 1 / times if times else 4)
    return ("ahead" if times > 1 else "behind") + ("3" if lead >= 4 else "2" if lead >= 2 else "1")


def cell(comparison):
    if comparison is None:
        return '<td class="none">–</td>'
    c, colour = comparison, shade(comparison.times)
    tip = (f"rcuinfo {number(c.store)} {c.unit}, peer {number(c.peer)} {c.unit}; "
           f"{times_text(c.low)} to {times_text(c.high)} in the rounds")
    mark = "▼ " if colour.startswith("behind") else ""
    return f'<td class="{colour}" title="{escape(tip)}">{mark}{times_text(c.times)}</td>'


def head_cells(texts):
    return "".join(f"<th>{escape(text)}</th>" for text in texts)


def table(head, body):
    """head: names of columns; body: rows as HTML."""
    return (f'<div class="wide"><table><thead><tr>{head_cells(head)}</tr></thead>'
            f'<tbody>{"".join(body)}</tbody></table></div>')


def plain(head, lines):
    return table(head, (f"<tr>{head_cells(line)}</tr>" for line in lines))


def matrix(label, rows, peers):
    """rows: (label, {peer: Comparison}, the store's own number as text); a row with None instead is a heading."""
    body = []
    for text, comparisons, own in rows:
        if comparisons is None:
            body.append(f'<tr class="part"><th colspan="{2 + len(peers)}">{escape(text)}</th></tr>')
            continue
        lost = any(c and peer != LIMIT and c.times < 1 - EVEN for peer, c in comparisons.items())
        cells = f'<td class="own">{escape(own)}</td>' + "".join(cell(comparisons.get(peer)) for peer in peers)
        body.append(f'<tr class="{"lost" if lost else ""}">{head_cells([text])}{cells}</tr>')
    return table([label, STORE, *(NAMES.get(peer, peer) for peer in peers)], body)


def spread_text(spread):
    return f"{number(spread['median'])} ({number(spread['min'])} to {number(spread['max'])})"


def all_rows(rows):
    """The rows of a program, with a column for each field, and for each member of a group, such as percentiles."""
    found = []
    for row in rows:
        found.append({})
        for name, value in row.items():
            group = isinstance(value, dict) and "median" not in value
            found[-1].update({f"{name} {inner}": value[inner] for inner in value} if group else {name: value})
    head = list(dict.fromkeys(name for row in found for name in row))
    return table([name.replace("_", " ") for name in head],
                 (f"<tr>{''.join(plain_cell(row.get(name, '')) for name in head)}</tr>" for row in found))


def plain_cell(value):
    """A cell with a text, a number or a spread."""
    if isinstance(value, str):
        return f"<th>{escape(value)}</th>"
    return f"<td>{spread_text(value) if isinstance(value, dict) else number(value)}</td>"


def threads_text(threads):
    return "1 thread" if threads == 1 else f"{threads:.0f} threads"


def roles_text(readers, writers):
    """Describes threads that only get and threads that only set."""
    named = ((readers, "reader"), (writers, "writer"))
    return " + ".join(f"{count:.0f} {name}{'' if count == 1 else 's'}" for count, name in named if count) or "1 thread"


def of_mpi(row):
    """Medians, ratio and target of a row of bench_mpi; empty cells without a row."""
    if row is None:
        return ["", "", ""]
    target = ""
    if "target" in row:
        sign = "≥" if row["more_is_better"] else "≤"
        target = f"{'rcuinfo ' if row['target_of'] == STORE else ''}{sign} {row['target']:,g}"
        target += "" if row["met"] else ", **missed**"
    return [f"{number(row['other']['median'])} / {number(row['rcuinfo']['median'])}", spread_text(row["ratio"]), target]


def targets(rows):
    """Two tables, (head, rows), of bench_mpi: calls of one thread, with both MPIs in a row, then the rest."""
    calls, rest = {}, []
    for row in rows:
        keys = f"{row['keys']:,.0f}"
        if row["readers"] + row["writers"] or row["against"].startswith(STORE):
            threads = roles_text(row["readers"], row["writers"])
            rest.append([f"{row['call']}, {row['unit']}", keys, threads, row["against"], *of_mpi(row)])
        else:
            calls.setdefault((row["call"], keys), {})[row["against"]] = row
    mpis = [mpi for mpi in MPIS if any(mpi in found for found in calls.values())]
    head = ["call", "keys"]
    for mpi in mpis:
        head += [f"{mpi} / rcuinfo, ns", "ratio (min to max)", "target"]
    one = [[*key, *(text for mpi in mpis for text in of_mpi(found.get(mpi)))] for key, found in calls.items()]
    rest_head = ["call", "keys", "threads", "against", "the other / rcuinfo", "ratio (min to max)", "target"]
    return (head, one), (rest_head, rest)


RATES = {"calls_M_per_s": "", "sets_M_per_s": ": sets", "gets_M_per_s": ": gets"}


def scale(rows):
    """The table, (head, rows), of bench_scale: the medians for each number of threads, with a column for each library."""
    libraries, lines = list(dict.fromkeys(row["library"] for row in rows)), []
    for kind, fields in (("threads", ("call", "infos")), ("writers", ("call", "infos", "threads", "writers"))):
        for (call, infos, *many), found in cells_of([row for row in rows if row["kind"] == kind], fields).items():
            counts = list(dict.fromkeys(number(row["threads"]) for row in found))
            threads = roles_text(many[0] - many[1], many[1]) if many else " / ".join(counts)
            for measure, what in {**RATES, "longest_us": ": longest time of 16, us"}.items():
                if measure in found[0]:
                    texts = [" / ".join(number(row[measure]["median"]) if measure in row else row["failed"]
                                        for row in found if row["library"] == library) for library in libraries]
                    lines.append([call + what, infos, threads, *texts])
    return ["call, M/s", "infos", "threads", *libraries], lines


def markdown(head, rows):
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows])
