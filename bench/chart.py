#!/usr/bin/env python3
"""Draws docs/ratios.svg from docs/ratios.csv, whose figures stand in docs/benchmarks-rows.md: python3 bench/chart.py"""

import csv
from html import escape
from itertools import groupby
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
WIDTH, LEFT, SCALE, LINE = 760, 330, 300, 24  # SCALE: pixels of the ratio 1


def text(x, y, words, more=""):
    return f'<text x="{x}" y="{y}" {more}>{escape(words)}</text>'


def draw(rows):
    parts, y = [text(16, 28, "Leveret's time or memory, as a part of the original's", 'font-size="16" font-weight="bold"')], 56
    parts.append(text(LEFT + SCALE, y, "1.0: the original", 'text-anchor="middle" fill="#555555"'))
    top = y + 6
    for group, works in groupby(rows, lambda row: row["group"]):
        y += LINE + 8
        parts.append(text(16, y, group, 'font-weight="bold"'))
        for row in works:
            y += LINE
            length = round(float(row["ratio"]) * SCALE)
            colour = "#2f7d4f" if float(row["ratio"]) < 1 else "#b3742b"
            parts.append(text(LEFT - 8, y, row["work"], 'text-anchor="end"'))
            parts.append(f'<rect x="{LEFT}" y="{y - 13}" width="{length}" height="16" fill="{colour}"/>')
            parts.append(text(LEFT + length + 6, y, row["ratio"]))
    parts.append(f'<line x1="{LEFT + SCALE}" y1="{top}" x2="{LEFT + SCALE}" y2="{y + 8}" stroke="#555555" stroke-dasharray="4 3"/>')
    parts.append(text(16, y + 34, "Shorter is better. Medians of alternating rounds on one machine: docs/benchmarks-rows.md has all.", 'fill="#555555"'))
    height = y + 50
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13">'
    return "\n".join([head, f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>', *parts, "</svg>", ""])


def rows():
    with open(DOCS / "ratios.csv", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    (DOCS / "ratios.svg").write_text(draw(rows()))
