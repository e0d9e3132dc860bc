"""Counts what the tests reach, by module, and compares the unreached functions with those that the page names.

usage: coverage_table.py COVERAGE.json PAGE
Writes the table between the marks of the page; prints the functions that neither a test reaches nor the page names.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

BEGIN, END = "<!-- table -->", "<!-- end of table -->"


def module_of(path):
    """The module of a file below Sources; None for all other code."""
    parts = pathlib.PurePath(path).parts
    root = pathlib.Path.cwd().parts
    if parts[: len(root)] != root or len(parts) < len(root) + 4 or parts[len(root)] != "Sources":
        return None
    return parts[len(root) + 2]


def rows_of(files):
    """Counted and reached lines and regions by module."""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for file in files:
        module = module_of(file["filename"])
        if module is None:
            continue
        for index, kind in enumerate(["lines", "regions"]):
            summary = file["summary"][kind]
            rows[module][2 * index] += summary["count"]
            rows[module][2 * index + 1] += summary["covered"]
    return rows


def table_of(rows):
    total = [sum(column) for column in zip(*rows.values())]
    lines = ["| module | lines | reached | regions | reached |", "| --- | ---: | ---: | ---: | ---: |"]
    for name, row in [*sorted(rows.items()), ("all", total)]:
        shares = [f"{100 * row[i + 1] / row[i]:.1f} %" if row[i] else "–" for i in (0, 2)]
        lines.append(f"| {name} | {row[0]:,} | {shares[0]} | {row[2]:,} | {shares[1]} |")
    return "\n".join(lines)


def unreached(functions):
    """File, line and name of every function in Sources that no test reaches, closures and generated ones left out."""
    counts = collections.defaultdict(int)
    names = {}
    for function in functions:
        path = function["filenames"][0]
        if module_of(path) is None:
            continue
        place = (str(pathlib.PurePath(path).relative_to(pathlib.Path.cwd())), function["regions"][0][0])
        counts[place] += function["count"]
        names.setdefault(place, function["name"].split(":")[-1])
    places = sorted(place for place, count in counts.items() if count == 0)
    demangled = subprocess.run(
        ["swift", "demangle", "--compact", "--simplified"], input="\n".join(names[p] for p in places), text=True,
        capture_output=True, check=True,
    ).stdout.splitlines()
    for place, name in zip(places, demangled):
        if re.match(r"(closure|implicit closure|default argument|variable initialization)", name):
            continue
        yield (*place, name)


def main():
    report, page = map(pathlib.Path, sys.argv[1:])
    data = json.loads(report.read_text())["data"][0]
    text = page.read_text()
    table = table_of(rows_of(data["files"]))
    start, rest = text.split(BEGIN)
    page.write_text(f"{start}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}")
    print(table)
    named = set(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE))
    missing = [
        (path, line, name) for path, line, name in unreached(data["functions"])
        # A file, or a function of it.
        if path not in named and f"{path} {name}" not in named
    ]
    print(f"\n{len(missing)} functions are neither reached by a test nor named in {page}:")
    for path, line, name in missing:
        print(f"{path}:{line} {name}")


main()
