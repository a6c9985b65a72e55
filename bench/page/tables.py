# SPDX-License-Identifier: BSD-3-Clause
"""tables: comparisons and numbers as HTML tables; what a peer wins is red and has a triangle."""
from html import escape

from page.results import LIMIT, MPIS, STORE

EVEN = 0.05  # less than this from 1 is nobody's lead
NAMES = {
    LIMIT: "no protection (the limit)", "mutex": "pthread mutex", "glib": "GLib GHashTable",
    "rculfhash": "liburcu rculfhash", "MPICH": "plain MPICH", "Open MPI": "plain Open MPI",
}


def number(value):
    """Three digits that count, with commas in the thousands."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def times_text(times):
    if times >= 1000:
        return "> 1,000×"
    if times >= 10:
        return f"{times:,.0f}×"
    return f"{times:.1f}×" if times >= 1.05 else f"{times:.2f}×" if times >= 0.095 else f"{times:.1g}×"


def shade(times):
    """A colour class: how far ahead or behind."""
    if abs(times - 1) < EVEN:
        return "even"
    if times > 1:
        return "ahead" + ("3" if times >= 4 else "2" if times >= 2 else "1")
    return "behind" + ("3" if times <= 0.25 else "2" if times <= 0.5 else "1")


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
    """head: names of columns; body: rows that are HTML already."""
    return (f'<div class="wide"><table><thead><tr>{head_cells(head)}</tr></thead>'
            f'<tbody>{"".join(body)}</tbody></table></div>')


def matrix(labels, rows, peers):
    """
    rows: (texts of the labels, {peer: Comparison}, the store's own number as text); one whose comparisons are None is a
    heading. Peers in the order given.
    """
    body = []
    for texts, comparisons, own in rows:
        if comparisons is None:
            body.append(f'<tr class="part"><th colspan="{len(labels) + len(peers) + 1}">{escape(texts[0])}</th></tr>')
            continue
        lost = any(c and peer != LIMIT and c.times < 1 - EVEN for peer, c in comparisons.items())
        cells = head_cells(texts) + f'<td class="own">{escape(own)}</td>'
        cells += "".join(cell(comparisons.get(peer)) for peer in peers)
        body.append(f'<tr class="{"lost" if lost else ""}">{cells}</tr>')
    return table([*labels, STORE, *(NAMES.get(peer, peer) for peer in peers)], body)


def spread_text(spread):
    return f"{number(spread['median'])} <small>({number(spread['min'])} to {number(spread['max'])})</small>"


def plain_cell(value):
    """Of a text, a number or a spread."""
    if isinstance(value, str):
        return f"<th>{escape(value)}</th>"
    return f"<td>{spread_text(value) if isinstance(value, dict) else number(value)}</td>"


def all_rows(rows):
    """The rows as a program wrote them, with a column for each field, also for each of a group, as percentiles."""
    found = []
    for row in rows:
        found.append({})
        for name, value in row.items():
            group = isinstance(value, dict) and "median" not in value
            found[-1].update({f"{name} {inner}": value[inner] for inner in value} if group else {name: value})
    head = list(dict.fromkeys(name for row in found for name in row))
    body = [f"<tr>{''.join(plain_cell(row.get(name, '')) for name in head)}</tr>" for row in found]
    return table([name.replace("_", " ") for name in head], body)


def threads_text(threads):
    return "1 thread" if threads == 1 else f"{threads:.0f} threads"


def roles_text(readers, writers):
    """Threads that only get and threads that only set, in words."""
    named = ((readers, "reader"), (writers, "writer"))
    return " + ".join(f"{count:.0f} {name}{'' if count == 1 else 's'}" for count, name in named if count) or "1 thread"


def target_text(row):
    if "target" not in row:
        return ""
    sign = "≥" if row["more_is_better"] else "≤"
    return f"{'rcuinfo ' if row['target_of'] == STORE else ''}{sign} {row['target']:,g}"


def targets(rows):
    """All rows of bench_mpi: the ratio as it is measured, beside its target."""
    body = []
    for row in rows:
        ratio = row["ratio"]["median"]
        ahead = ratio is None or (ratio > 1 - EVEN if row["more_is_better"] else ratio < 1 + EVEN)
        lost = not ahead and not row["against"].startswith(STORE)
        threads = roles_text(row["readers"], row["writers"])
        cells = head_cells([row["call"], f"{row['keys']:,.0f}", threads, row["against"]])
        cells += f'<td>{row["unit"].replace("us", "µs")}</td><td>{spread_text(row["other"])}</td>'
        cells += f'<td class="own">{spread_text(row["rcuinfo"])}</td>'
        cells += f'<td>{"▼ " if lost else ""}{spread_text(row["ratio"])}</td>'
        met = {None: "", 1: "met", 0: "missed"}[row.get("met")]
        cells += f'<td class="{met}">{target_text(row)} {met}</td>'
        body.append(f'<tr class="{"lost" if lost else ""}">{cells}</tr>')
    return table(["call", "keys", "threads", "against", "unit", "the other", "rcuinfo", "ratio: rcuinfo / the other",
                  "target"], body)


def markdown_table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def markdown_numbers(row):
    """Medians, ratio, target of one row of bench_mpi, or the cells where there is none."""
    if row is None:
        return ["", "", ""]
    target = target_text(row) + (", **missed**" if row.get("met") == 0 else "")
    ratio = " to ".join(number(row["ratio"][end]) for end in ("min", "max"))
    return [f"{number(row['other']['median'])} / {number(row['rcuinfo']['median'])}",
            f"{number(row['ratio']['median'])} ({ratio})", target]


def markdown(rows):
    """The rows of bench_mpi as bench/README.md has them: calls of one thread with an MPI beside the other, then the rest."""
    calls, rest = {}, []
    for row in rows:
        if row["readers"] + row["writers"] or row["against"].startswith(STORE):
            threads = roles_text(row["readers"], row["writers"])
            rest.append([f"{row['call']}, {row['unit']}", f"{row['keys']:,.0f}", threads, row["against"],
                         *markdown_numbers(row)])
        else:
            calls.setdefault((row["call"], f"{row['keys']:,.0f}"), {})[row["against"]] = row
    mpis = [mpi for mpi in MPIS if any(mpi in found for found in calls.values())]
    head = ["call", "keys"]
    for mpi in mpis:
        head += [f"{mpi} / rcuinfo, ns", "ratio (min to max)", "target"]
    one = [[*key, *(text for mpi in mpis for text in markdown_numbers(found.get(mpi)))] for key, found in calls.items()]
    rest_head = ["call", "keys", "threads", "against", "the other / rcuinfo", "ratio (min to max)", "target"]
    return markdown_table(head, one) + "\n\n" + markdown_table(rest_head, rest)
