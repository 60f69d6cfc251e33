"""Random programs: rnd.py SEED SECONDS [flag=value,flag=value...]. Prints what violates, then the sums."""
import random
import sys
import time

from suite import run

KEYS = {"A": "abce", "J": "abce", "R": "dxyo", "D": "pqxy"}
WEIGHTS = {
    "A": {"create": 20, "delete": 18, "rename": 28, "stat": 10, "list": 6, "sweep": 10, "chmod": 4, "scan": 4},
    "J": {"join": 40, "create": 10, "delete": 15, "rename": 15, "stat": 6, "list": 4, "sweep": 6, "scan": 4},
    "R": {"create": 25, "delete": 15, "rmdir": 22, "rename": 12, "stat": 10, "list": 6, "sweep": 5, "scan": 5},
    "D": {"create": 20, "delete": 8, "rmdir": 10, "rename": 34, "stat": 10, "list": 6, "sweep": 6, "scan": 6},
}


def operation(r, world):
    name = r.choices(*zip(*WEIGHTS[world].items()))[0]
    keys = KEYS[world]
    files = {"R": "xyo", "D": "xy"}.get(world, keys)
    if name == "scan":
        return name
    if name in ("list", "sweep"):
        return f"{name},{r.randrange(3 if world == 'D' else 2)}"
    if name == "join":
        return ",".join([name, *r.sample(keys, r.choice([2, 2, 3]))])
    if name == "rmdir":
        return f"{name},{'d' if world == 'R' else r.choice('pq')}"
    if name == "rename":
        return ",".join([name, *r.sample("pq" if world == "D" else files, 2)])
    if name == "stat":
        return f"{name},{r.choice(keys)}"
    return f"{name},{r.choice(files)}" + (f",{r.choice('12')}" if name == "chmod" else "")


def program(r):
    world = r.choice("AAARDJ")
    starts, total = [], 0
    count = r.choice([1, 2, 2, 2, 3, 3])
    for _ in range(count):
        threads = []
        for _ in range(r.choice([1, 2, 2, 3]) if count == 1 else r.choice([1, 1, 2, 2])):
            operations = [operation(r, world) for _ in range(r.choice([1, 1, 2]) if total < 7 else 1)]
            total += sum(3 if each.startswith("join") else 1 for each in operations)
            threads.append(";".join(operations))
        starts.append("|".join(threads))
    if total > 9:
        return program(r)
    init = r.choice({"A": [1, 3, 5, 7], "J": [0, 1, 4, 5], "R": [1, 3, 9, 11], "D": [3, 3, 7, 11]}[world])
    found = bin(init).count("1")
    slots = (1 << min(5, found + r.choice([0, 1, 2]))) - 1
    second = 63 & ~slots & r.choice([0, 32, 32, 48])
    third = 63 & ~slots & ~second & r.choice([0, 8, 16, 24, 32])
    fresh = [f"f1={second}", f"f2={third}"]
    return [world, "/".join(starts), f"init={init}", f"pool={slots}", *fresh, f"fastscan={r.randrange(2)}", f"obs={r.randrange(2)}", f"num={r.randrange(2)}"]


def main():
    seed, seconds = int(sys.argv[1]), float(sys.argv[2])
    flags = sys.argv[3].split(",") if len(sys.argv) > 3 else []
    r, begun, programs, states, images, bad, cut = random.Random(seed), time.time(), 0, 0, 0, 0, 0
    while time.time() - begun < seconds:
        each = program(r)
        verdict, n, depth, looked = run(each, flags, 40)
        programs, states, images, cut = programs + 1, states + n, images + looked, cut + (verdict == "cut")
        if verdict not in ("ok", "cut"):
            bad += 1
            print(" ".join(each), f"depth {depth}:", verdict, flush=True)
    print(f"seed {seed}, {','.join(flags) or 'as it is'}: {programs} programs, {states} states, {images} images, {bad} violate, {cut} cut short")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
