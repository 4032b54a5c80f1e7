"""Sorts random numbers with an algorithm of Python's, and times it: an example of a program that sweepd measures.

    python3 sort_numbers.py --numbers=1000 --algorithm=heap      # prints what it would report
"""

import argparse
import heapq
import random
import time

import sweepd_metrics as sweepd


def insertion(numbers):
    sorted_numbers = []
    for number in numbers:
        place = len(sorted_numbers)
        while place and sorted_numbers[place - 1] > number:
            place -= 1
        sorted_numbers.insert(place, number)
    return sorted_numbers


def heap(numbers):
    heapq.heapify(numbers)
    return [heapq.heappop(numbers) for _ in range(len(numbers))]


ALGORITHMS = {"builtin": sorted, "heap": heap, "insertion": insertion}

parser = argparse.ArgumentParser()
parser.add_argument("--numbers", type=int, default=1000)
parser.add_argument("--algorithm", choices=ALGORITHMS, default="builtin")
options = parser.parse_args()

for step in sweepd.steps():
    begin = time.perf_counter()
    numbers = [random.random() for _ in range(options.numbers)]
    made = time.perf_counter()
    result = ALGORITHMS[options.algorithm](numbers)
    end = time.perf_counter()
    if any(a > b for a, b in zip(result, result[1:])):
        raise SystemExit("the result is not sorted")
    sweepd.step(step, {"make": (made - begin) * 1e3, "sort": (end - made) * 1e3, "step": (end - begin) * 1e3},
                rate=options.numbers / (end - made) / 1e6)
