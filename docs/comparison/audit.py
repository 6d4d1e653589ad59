#!/usr/bin/env python3
"""Times absolve audit and hyperlink on a site, in turn.

usage: audit.py FOLDER [ROUNDS]

Both are commands in PATH, both check anchors and have two threads. What each reports
has to be the same in every round. Prints the median of each, the median of the ratios
of the rounds, and the peak memory of absolve.
"""

import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

COMMANDS = {
    "absolve": ["absolve", "audit", "--no-config", "--color", "never", "-j", "2"],
    "hyperlink": ["hyperlink", "--check-anchors", "-j", "2"],
}
TOTALS = {
    "absolve": rb"^.*; checked [\d,]+ pages? with [\d,]+ links?( \(.*\))?$",
    "hyperlink": rb"^Found \d+ bad (?:links|anchors)$",
}


def run(name, folder):
    """Seconds, kilobytes, and the totals that it reports."""
    with tempfile.TemporaryFile() as report:
        start = time.perf_counter()
        process = subprocess.Popen([*COMMANDS[name], folder], stdout=report, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        report.seek(0)
        totals = re.findall(TOTALS[name], report.read(), re.MULTILINE)
    if process.returncode not in (0, 1, 2) or not totals:
        sys.exit(f"{name} failed: exit code {process.returncode}, totals {totals}")
    return seconds, usage.ru_maxrss, totals


def main():
    if not 2 <= len(sys.argv) <= 3 or not pathlib.Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    folder, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9
    times = {name: [] for name in COMMANDS}
    reported, memory = {}, 0
    for _ in range(rounds):
        for name in COMMANDS:
            seconds, kilobytes, totals = run(name, folder)
            if reported.setdefault(name, totals) != totals:
                sys.exit(f"{name} reports {totals} now, and {reported[name]} before")
            times[name].append(seconds)
            memory = max(memory, kilobytes) if name == "absolve" else memory
    for name, seconds in times.items():
        said = b"; ".join(reported[name]).decode()
        print(f"{name}: median {statistics.median(seconds):.3f} s; {said}")
    ratios = [theirs / ours for ours, theirs in zip(times["absolve"], times["hyperlink"])]
    print(f"absolve is {statistics.median(ratios):.2f} times as fast ({min(ratios):.2f} to {max(ratios):.2f}), peak {memory // 1024} MiB")


if __name__ == "__main__":
    main()
