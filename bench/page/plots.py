# SPDX-License-Identifier: BSD-3-Clause
"""plots: line plots as SVG, drawn by gnuplot. Each name has the same colour in every figure."""
import re
import subprocess

STORE = "#0a58ca"
COLOURS = {
    "rcuinfo": STORE, "rcuinfo on MPICH": STORE, "rcuinfo on Open MPI": "#4dabf7", "rcuinfo: snapshot": STORE,
    "rcuinfo: nthkey": "#4dabf7", "rcuinfo: nthkey, get": "#845ef7", "MPICH": "#c92a2a", "Open MPI": "#e8890c",
    "unprotected": "#868e96", "mutex": "#c92a2a", "pthread_rwlock": "#e8590c", "ck_rwlock": "#9c36b5",
    "ck_brlock": "#2b8a3e", "ck_epoch": "#087f5b", "glib": "#a07800", "rculfhash": "#343a40",
    "rcuinfo, native": "#845ef7", "table: snapshot": STORE, "table: nthkey": "#4dabf7", "table: nthkey, get": "#845ef7",
}


class PlotError(Exception):
    """gnuplot is not installed, or failed."""


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def run_gnuplot(script):
    """The output of gnuplot, from <svg> on, without empty groups and blanks between elements."""
    try:
        done = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise PlotError("gnuplot is not installed (Debian: gnuplot-nox; tools/deps installs it)") from None
    if done.returncode != 0 or "<svg" not in done.stdout or done.stderr.strip():
        raise PlotError(f"gnuplot: {done.stderr.strip()}")
    drawing = re.sub(r">\s+<", "><", done.stdout[done.stdout.index("<svg"):])
    return re.sub(r"<g [^>]*></g>", "", drawing)


def panel(title, xlabel, ylabel, series, log="xy", labels=None):
    """
    The commands for one panel. series: {name: [(x, median, min, max)]}; that of the store gets a band from min to max.
    labels: {x: text}, instead of the numbers.
    """
    xs = sorted({point[0] for points in series.values() for point in points})
    tics = ", ".join(f"{quoted(labels[x] if labels else f'{x:,.0f}')} {x}" for x in xs)
    thousandfold = "y" in log and all(point[1] >= 1 for points in series.values() for point in points)  # 10k, not 10000
    top = "*" if any(any(point[1:]) for points in series.values() for point in points) else 1  # of zeros: no empty range
    low, high = (xs[0] / 1.25, xs[-1] * 1.25) if "x" in log else (xs[0] - 0.2, xs[-1] + 0.2)
    script = [
        f"set title {quoted(title)} font ',15'", f"set xlabel {quoted(xlabel)}", f"set ylabel {quoted(ylabel)}",
        "unset logscale", f"set logscale {log}" if log else "", f"set xtics ({tics})", f"set xrange [{low}:{high}]",
        f"set yrange [{'*' if 'y' in log else 0}:{top}]", f"set format y '{'%.0s%c' if thousandfold else '%g'}'",
    ]
    keys, plots = [], []
    for index, (name, points) in enumerate(series.items()):
        rows = [" ".join(f"{value:.9g}" for value in point) for point in sorted(points)]
        script += [f"$d{index} << EOD", *rows, "EOD"]
        colour = COLOURS[name]
        width, dash = 3 if name.startswith("rcuinfo") else 1.5, 2 if name.startswith(("table", "unprotected")) else 1
        drawn = f"with linespoints lc rgb '{colour}' lw {width} dt {dash} pt 7 ps 0.4"
        keys.append(f"keyentry {drawn} title {quoted(name)}")
        lines = [f"$d{index} using 1:2 {drawn} notitle"]
        if name.startswith("rcuinfo"):
            band = f"with filledcurves fc rgb '{colour}' fs transparent solid 0.15 notitle"
            plots += [f"$d{index} using 1:3:4 {band}", *lines]  # the store last, so on top
        else:
            plots = lines + plots
    return script + ["plot " + ", \\\n ".join(keys + plots)]


def lines(name, *panels, **options):
    """A figure of adjacent panels with lines of the same names; the last panel has the key."""
    width = 420 * len(panels) + 240
    script = [
        f"set terminal svg noenhanced size {width},380 font 'Helvetica,13' name '{name}' background rgb 'white'",
        "set border 3 lc rgb '#868e96'", "set tics nomirror textcolor rgb '#343a40'",
        "set grid lc rgb '#dee2e6' lt 1 lw 1", "set multiplot",
    ]
    for place, each in enumerate(panels):
        left, right = ((420 * place + x) / width for x in (80, 440))
        script += [f"set lmargin at screen {left}", f"set rmargin at screen {right}"]
        key = f"at screen {right + 12 / width}, screen 0.55 left center Left reverse samplen 2 spacing 1.15"
        script += ["unset key" if each is not panels[-1] else f"set key {key} textcolor rgb '#212529'"]
        script += panel(*each, **options)
    return run_gnuplot("\n".join(script + ["unset multiplot"]))
