"""The scenarios of scenarios.txt under some flags: suite.py [flag=value,flag=value]... One line for each argument."""
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCENARIOS = [line.split() for line in (HERE / "scenarios.txt").read_text().splitlines()]


def run(scenario, flags, seconds=60):
    """(verdict, states, depth, images): the verdict is ok, cut or the violation."""
    command = ["./hm", *scenario[:2], "limit=150", "images=400", *flags, *scenario[2:]]
    try:
        out = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=seconds).stdout.strip()
    except subprocess.TimeoutExpired:
        return "cut", 0, 0, 0
    found = re.search(r"states=(\d+) depth=(\d+) images=(\d+) sampled=\d+ (.*)", out)
    if not found:
        return "cut" if "overflow" in out else "FAILED " + out, 0, 0, 0
    verdict = found[4]
    return "cut" if verdict == "CUT" else verdict, int(found[1]), int(found[2]), int(found[3])


def suite(flags):
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda each: run(each, flags), SCENARIOS))
    bad = [(r[2], s, r[0]) for s, r in zip(SCENARIOS, results) if r[0] not in ("ok", "cut")]
    states, images = sum(r[1] for r in results), sum(r[3] for r in results)
    cut = sum(r[0] == "cut" for r in results)
    print(f"{','.join(flags) or 'as it is'}: {len(results)} programs, {states} states, {images} images, {len(bad)} violate, {cut} cut short", flush=True)
    for depth, scenario, verdict in sorted(bad)[:3]:
        print(f"    {' '.join(scenario)}: depth {depth}, {verdict}", flush=True)
    return len(bad)


if __name__ == "__main__":
    sys.exit(sum(suite(a.split(",") if a != "base" else []) for a in sys.argv[1:] or ["base"]) > 0)
