"""Simulates a month of Common Crawl on Spark, to check the plan of docs/scale.md.

    python benches/spark_month.py [--rate MEGABYTES] [--archives 90000] [--seed 1]

An archive is a task. Its time is its size by the rate of a core (measured by benches/spark.py: MB
of archive a CPU second), times a spread. One task in a hundred is a straggler,
on a slow disk or a busy machine, and takes two to ten times as long. Machines are lost, as spot
instances are, and what runs on them starts again. Speculation starts a second copy of a task that
takes 1.5 times the median, after 90 % are done. The first core that is free takes the next task.
"""

import argparse
import heapq
import random
import statistics
from dataclasses import dataclass

# Seconds of tasks by their median: benches/spark.py, 8 equal archives, on a busy machine.
SPREAD = (0.93, 0.96, 0.98, 0.99, 1.02, 1.04, 1.07, 1.08)

# A machine is lost once in so many hours. Its cores are drawn one by one.
MACHINE_HOURS = 40

# Seconds that Spark and its Python need for a task beside its work.
OVERHEAD = 0.1

# Gigabytes of an archive, least and most.
SIZES = (0.7, 1.3)


@dataclass
class Result:
    hours: float
    core_hours: float
    repeated: int


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=12.1)
    parser.add_argument("--archives", type=int, default=90_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    tasks = [random.uniform(*SIZES) * 1e3 / arguments.rate for _ in range(arguments.archives)]
    plan = sum(tasks) / 3600
    print(f"{arguments.archives} archives at {arguments.rate} MB/s: {plan:.0f} core hours on paper")
    print("cores  paper h  simulated h  with speculation h  core hours  started again")
    for cores in (256, 1024, 4096):
        plain = simulate(tasks, cores, speculates=False)
        copies = simulate(tasks, cores, speculates=True)
        print(
            f"{cores:5}  {plan / cores:7.2f}  {plain.hours:11.2f}  {copies.hours:18.2f}"
            f"  {copies.core_hours:10.0f}  {copies.repeated:13}"
        )


def simulate(tasks: list[float], cores: int, speculates: bool) -> Result:
    """Runs the tasks on cores in their order."""
    free = [0.0] * cores
    used, repeated = 0.0, 0
    times = [drawn(task) for task in tasks]
    median = statistics.median(times)
    first_copies = round(0.9 * len(times))
    ends: list[float] = []
    for number, seconds in enumerate(times):
        start = heapq.heappop(free)
        # The machine is lost in the middle.
        while random.random() < seconds / 3600 / MACHINE_HOURS:
            lost = random.uniform(0, seconds)
            used, start, repeated = used + lost, start + lost, repeated + 1
        end = start + seconds
        if speculates and number >= first_copies and seconds > 1.5 * median:
            # A copy begins when the task is late, and the first of the two ends both.
            copy = start + 1.5 * median + drawn(tasks[number])
            used += max(0.0, min(end, copy) - start - 1.5 * median)
            end, repeated = min(end, copy), repeated + 1
        used += end - start
        ends.append(end)
        heapq.heappush(free, end)
    return Result(max(ends) / 3600, used / 3600, repeated)


def drawn(task: float) -> float:
    """The seconds that a task takes this time."""
    seconds = task * random.choice(SPREAD) + OVERHEAD
    return seconds * random.uniform(2, 10) if random.random() < 0.01 else seconds


if __name__ == "__main__":
    main()
