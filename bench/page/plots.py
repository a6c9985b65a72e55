# SPDX-License-Identifier: BSD-3-Clause
"""plots: figures as SVG texts, drawn by gnuplot. One colour a name, the same in every figure."""
import re
import subprocess
from itertools import cycle

STORE = "#0a58ca"
# Colour, width and dash of the lines whose meaning must not depend on the order of the data.
STYLES = {
    "rcuinfo": (STORE, 3, 1),
    "rcuinfo on MPICH": (STORE, 3, 1),
    "rcuinfo on Open MPI": ("#4dabf7", 3, 1),
    "rcuinfo: snapshot": (STORE, 3, 1),
    "rcuinfo: nthkey": ("#4dabf7", 2.5, 1),
    "rcuinfo: nthkey, get": ("#845ef7", 2.5, 1),
    "table: snapshot": (STORE, 1.5, 2),
    "table: nthkey": ("#4dabf7", 1.5, 2),
    "table: nthkey, get": ("#845ef7", 1.5, 2),
    "MPICH": ("#c92a2a", 2, 1),
    "Open MPI": ("#e8890c", 2, 1),
    "unprotected": ("#868e96", 2, 2),
    "mutex": ("#c92a2a", 1.5, 1),
    "pthread_rwlock": ("#e8590c", 1.5, 1),
    "ck_rwlock": ("#9c36b5", 1.5, 1),
    "ck_brlock": ("#2b8a3e", 1.5, 1),
    "ck_epoch": ("#087f5b", 1.5, 4),
    "glib": ("#a07800", 1.5, 1),
    "rculfhash": ("#343a40", 1.5, 4),
}
OTHERS = ["#c92a2a", "#2b8a3e", "#9c36b5", "#e8890c", "#343a40", "#087f5b", "#a07800"]


class PlotError(Exception):
    """gnuplot is not there, or did not draw."""


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def run_gnuplot(script):
    """What gnuplot draws, from its <svg> on, without the groups that have nothing in them and the blanks in between."""
    try:
        done = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise PlotError("gnuplot is not installed (Debian: gnuplot-nox; tools/deps installs it)") from None
    if done.returncode != 0 or "<svg" not in done.stdout or done.stderr.strip():
        raise PlotError(f"gnuplot: {done.stderr.strip()}")
    drawing = re.sub(r">\s+<", "><", done.stdout[done.stdout.index("<svg"):])
    return re.sub(r"<g [^>]*></g>", "", drawing)


def head(name, width=660, height=380):
    """Settings that all figures share."""
    return [
        f"set terminal svg noenhanced size {width},{height} font 'Helvetica,13' name '{name}' background rgb 'white'",
        "set border 3 lc rgb '#868e96'",
        "set tics nomirror textcolor rgb '#343a40'",
        "set grid lc rgb '#dee2e6' lt 1 lw 1",
        "set lmargin at screen 0.12", "set rmargin at screen 0.71",
        "set key at screen 0.725, screen 0.55 left center Left reverse samplen 2 spacing 1.15 textcolor rgb '#212529'",
    ]


def line_panel(title, xlabel, ylabel, series, log="xy", labels=None, key=True):
    """
    Commands for one panel of lines. series: {name: [(x, median, min, max)]}; the store's has a band from min to max.
    labels: {x: text} instead of the numbers.
    """
    others = cycle(OTHERS)
    styles = {name: STYLES.get(name) or (next(others), 1.5, 1) for name in series}
    xs = sorted({point[0] for points in series.values() for point in points})
    tics = ", ".join(f"{quoted(labels[x] if labels else f'{x:,.0f}')} {x}" for x in xs)
    thousandfold = "y" in log and all(point[1] >= 1 for points in series.values() for point in points)  # 10k, not 10000
    low, high = (xs[0] / 1.25, xs[-1] * 1.25) if "x" in log else (xs[0] - 0.2, xs[-1] + 0.2)
    script = [
        f"set title {quoted(title)} font ',15'", f"set xlabel {quoted(xlabel)}", f"set ylabel {quoted(ylabel)}",
        "unset logscale", f"set logscale {log}" if log else "", f"set xtics ({tics})", f"set xrange [{low}:{high}]",
        f"set yrange [{'*' if 'y' in log else 0}:*]",
        f"set format y '{'%.0s%c' if thousandfold else '%g'}'", "" if key else "unset key",
    ]
    plots, drawn = [], {}
    for index, points in enumerate(series.values()):
        script.append(f"$d{index} << EOD")
        script += [" ".join(f"{value:.9g}" for value in point) for point in sorted(points)]
        script.append("EOD")
    for name, (colour, width, dash) in styles.items():
        drawn[name] = f"with linespoints lc rgb '{colour}' lw {width} dt {dash} pt 7 ps 0.4"
        if key:
            plots.append(f"keyentry {drawn[name]} title {quoted(name)}")
    # The store comes last: on top.
    for index, name in sorted(enumerate(series), key=lambda item: item[1].startswith("rcuinfo")):
        if name.startswith("rcuinfo"):
            plots.append(f"$d{index} using 1:3:4 with filledcurves fc rgb '{styles[name][0]}' "
                         "fs transparent solid 0.15 notitle")
        plots.append(f"$d{index} using 1:2 {drawn[name]} notitle")
    return script + ["plot " + ", \\\n ".join(plots)]


def lines(name, *panel, **options):
    return run_gnuplot("\n".join(head(name) + line_panel(*panel, **options)))


def bars(name, title, xlabel, ylabel, groups, series):
    """Bars beside each other. groups: labels along the axis; series: {name: [height for each group]}."""
    script = head(name) + [
        f"set title {quoted(title)} font ',15'", f"set xlabel {quoted(xlabel)}", f"set ylabel {quoted(ylabel)}",
        "set style data histograms",
        "set style histogram clustered gap 1", "set style fill solid 0.9 border lc rgb 'white'", "set boxwidth 0.92",
        "set yrange [0:*]", "unset grid", "set grid ytics lc rgb '#dee2e6' lt 1", "set format y '%g'", "$d << EOD",
    ]
    for index, group in enumerate(groups):
        script.append(" ".join([f'"{group}"'] + [f"{heights[index]:.9g}" for heights in series.values()]))
    script.append("EOD")
    plots = [
        f"$d using {column + 2}:xtic(1) lc rgb '{STYLES[name][0]}' title {quoted(name)}"
        for column, name in enumerate(series)
    ]
    return run_gnuplot("\n".join(script + ["plot " + ", \\\n ".join(plots)]))


def two_panels(name, left, right):
    """Two panels of lines of the same names; the right one has the key."""
    script = head(name, 1040, 380) + ["set multiplot"]
    script += ["set lmargin at screen 0.07", "set rmargin at screen 0.405"] + line_panel(*left, key=False)
    script += ["set lmargin at screen 0.485", "set rmargin at screen 0.82",
               "set key at screen 0.83, screen 0.55 left center Left reverse samplen 2 spacing 1.15"]
    script += line_panel(*right)
    return run_gnuplot("\n".join(script + ["unset multiplot"]))
