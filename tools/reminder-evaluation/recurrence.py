"""Compares the schedules of Kith with those of python-dateutil: called by tools/eval-recurrence."""

import argparse
import datetime as dt
import itertools
import json
import random
import signal
import subprocess
import sys
import time
import warnings
import zoneinfo

from dateutil import rrule

warnings.filterwarnings("ignore")
WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
BASIC = "%Y%m%dT%H%M%S"
UTC = dt.timezone.utc


class TooSlow(Exception):
    """The oracle did not answer in its time."""


def alarm(*_):
    raise TooSlow


class Expander:
    """The program that expands schedules with the code under test."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, start, rule, limit, zone="", policy="wall", begin=None, rdates=(), exdates=()):
        stamp = lambda moment: moment.strftime(BASIC)
        fields = [stamp(start), rule, str(limit), zone, policy, stamp(begin) if begin else "",
                  ",".join(map(stamp, rdates)), ",".join(map(stamp, exdates))]
        self.process.stdin.write("\t".join(fields) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n")
        return answer if answer.startswith("error") else answer.split(",") if answer else []


class Tally:
    """What was compared and what differed."""

    def __init__(self, name):
        self.name, self.compared, self.different, self.unanswered = name, 0, 0, 0
        self.shown = 0

    def add(self, what, got, wanted):
        self.compared += 1
        if got != wanted:
            self.different += 1
            if self.shown < 5:
                self.shown += 1
                print(f"  different: {what}\n    kith   {got if isinstance(got, str) else got[:6]}\n    oracle {wanted[:6]}")

    def show(self):
        rest = f", {self.unanswered} not answered by the oracle in time" if self.unanswered else ""
        print(f"{self.name}: {self.compared} compared, {self.different} different{rest}", flush=True)
        return self.different


def iso(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S") if moment.year >= 1000 else f"{moment.year:04}" + moment.strftime("-%m-%dT%H:%M:%S")


# --- Cases from a file ---------------------------------------------------------------------------


def lines_of(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def compare_cases(path, expand):
    tally, left_out = Tally(f"cases of {path}"), 0
    for line in open(path):
        case = json.loads(line)
        if case.get("non_rfc_byeaster"):
            left_out += 1
            continue
        rdates, exdates = [], []
        if "input" in case:
            start, rules, exrules = case.get("options", {}).get("dtstart"), [], []
            start = dt.datetime.fromisoformat(start) if start else None
            for item in lines_of(case["input"]):
                name, _, value = item.partition(":") if ":" in item else ("RRULE", "", item)
                name = name.upper()
                if name == "DTSTART":
                    start = dt.datetime.strptime(value, BASIC)
                elif name == "RRULE":
                    rules.append(value)
                elif name == "EXRULE":
                    exrules.append(value)
                else:
                    (rdates if name == "RDATE" else exdates).extend(dt.datetime.strptime(v, BASIC) for v in value.split(","))
            # Several rules and EXRULE are not of RFC 5545; what they give is added or left out time by time.
            for rule in rules[1:]:
                rdates += [dt.datetime.fromisoformat(v) for v in expand(start, rule, 1000)]
            for rule in exrules:
                exdates += [dt.datetime.fromisoformat(v) for v in expand(start, rule, 1000)]
            # A schedule without a rule has its start as an occurrence; a set of RDATEs alone has not.
            rule = rules[0] if rules else ""
            if not rules:
                start = min(rdates)
        else:
            start, rule = dt.datetime.strptime(case["dtstart"], BASIC), case["rrule"]
        got = expand(start, rule, len(case["expected"]) + 5, rdates=rdates, exdates=exdates)
        if isinstance(got, list) and "COUNT" not in rule.upper() and "UNTIL" not in rule.upper() and rule:
            got = got[: len(case["expected"])]
        tally.add(f"{case['test']} {rule}", got, case["expected"])
    different = tally.show()
    if left_out:
        print(f"  {left_out} left out: BYEASTER is no part of RFC 5545")
    return different


# --- Random rules --------------------------------------------------------------------------------


def some(rng, values, most=3):
    values = list(values)
    return sorted(rng.sample(values, rng.randint(1, min(most, len(values)))))


def signed(rng, limit, most=3):
    return some(rng, [n for n in range(-limit, limit + 1) if n], most)


def random_rule(rng):
    freq = rng.choice(["YEARLY"] * 4 + ["MONTHLY"] * 4 + ["WEEKLY"] * 3 + ["DAILY"] * 3 + ["HOURLY", "MINUTELY", "SECONDLY"])
    parts = {"FREQ": freq}
    if rng.random() < 0.5:
        parts["INTERVAL"] = rng.choice([1, 2, 3, 4, 5, 7, 12, 20, 90])
    long = freq in ("YEARLY", "MONTHLY")
    add = lambda name, chance, values: parts.__setitem__(name, ",".join(map(str, values))) if rng.random() < chance else None
    add("BYMONTH", 0.3, some(rng, range(1, 13)))
    if freq == "YEARLY":
        # dateutil does not take the week -52 of the year that follows for the last days of December; from -51 to 53 all agree.
        add("BYWEEKNO", 0.15, some(rng, [n for n in range(-51, 54) if n]))
    if "BYWEEKNO" not in parts:
        add("BYYEARDAY", 0.1 if freq in ("YEARLY", "HOURLY", "MINUTELY", "SECONDLY") else 0.03, signed(rng, 366, 6))
    add("BYMONTHDAY", 0.25 if freq != "WEEKLY" else 0.05, signed(rng, 31))
    if rng.random() < 0.4:
        days = some(rng, WEEKDAYS, 4)
        if long and "BYWEEKNO" not in parts and rng.random() < 0.5:
            limit = 5 if freq == "MONTHLY" or "BYMONTH" in parts else 53
            days = [f"{rng.choice(signed(rng, limit))}{day}" for day in days]
        parts["BYDAY"] = ",".join(days)
    add("BYHOUR", 0.3, some(rng, range(24)))
    add("BYMINUTE", 0.3, some(rng, range(60)))
    add("BYSECOND", 0.2, some(rng, range(60)))
    if len(parts) > 2 and any(name.startswith("BY") for name in parts):
        add("BYSETPOS", 0.2, signed(rng, rng.choice([1, 3, 10]), 2))
    if rng.random() < 0.3:
        parts["WKST"] = rng.choice(WEEKDAYS)
    end = rng.random()
    if end < 0.3:
        parts["COUNT"] = rng.randint(1, 40)
    elif end < 0.5:
        parts["UNTIL"] = dt.datetime(rng.randint(1998, 2030), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23)).strftime(BASIC)
    return ";".join(f"{name}={value}" for name, value in parts.items())


def random_start(rng):
    return dt.datetime(rng.randint(1990, 2030), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59), rng.randint(0, 59))


def within(seconds, work):
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return work()
    except ValueError:
        return []  # dateutil refuses rules that never match
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def compare_random(count, seed, expand):
    rng = random.Random(seed)
    whole, late = Tally(f"{count} random rules (seed {seed})"), Tally("the same, from a later time on")
    longest, spent = (0, ""), 0.0
    for _ in range(count):
        rule, start = random_rule(rng), random_start(rng)
        if "WEEKLY" in rule and "BYSETPOS" in rule:
            # dateutil counts the positions of the first week from the start on, not from the week's first day.
            first = WEEKDAYS.index(rule.split("WKST=")[1][:2]) if "WKST" in rule else 0
            start += dt.timedelta(days=(first - start.weekday()) % 7)
            start = start.replace(hour=0, minute=0, second=0)
        begin = start + dt.timedelta(days=rng.randint(1, 4000))
        clock = time.perf_counter()
        got = expand(start, rule, 40)
        took = time.perf_counter() - clock
        spent += took
        longest = max(longest, (took, f"{iso(start)} {rule}"))
        try:
            wanted = within(0.25, lambda: [iso(o) for o in itertools.islice(rrule.rrulestr(rule, dtstart=start), 40)])
        except TooSlow:
            whole.unanswered += 1
            continue
        whole.add(f"{iso(start)} {rule}", got, wanted)
        try:
            found = within(0.25, lambda: [iso(o) for o in itertools.islice(rrule.rrulestr(rule, dtstart=start).xafter(begin, inc=True), 10)])
        except TooSlow:
            late.unanswered += 1
            continue
        late.add(f"{iso(start)} {rule} from {iso(begin)}", expand(start, rule, 10, begin=begin), found)
    different = whole.show() + late.show()
    print(f"  kith took {1000 * spent / count:.2f} ms a rule in the mean, {1000 * longest[0]:.1f} ms at most: {longest[1]}")
    return different


# --- A year in the zones where clocks do the most --------------------------------------------------

YEARS = [("America/New_York", 2026), ("Australia/Lord_Howe", 2026), ("Asia/Kathmandu", 2026), ("Pacific/Apia", 2011)]
RULES = [
    "FREQ=DAILY", "FREQ=DAILY;INTERVAL=3", "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,15,30,45", "FREQ=WEEKLY;BYDAY=SU", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,FR",
    "FREQ=MONTHLY;BYMONTHDAY=30,31", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=MONTHLY;BYDAY=1SU,2SU", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=29,30,31", "FREQ=YEARLY;BYYEARDAY=1,67,364", "FREQ=YEARLY;BYWEEKNO=10,44;BYDAY=SU",
    "FREQ=HOURLY;INTERVAL=8", "FREQ=HOURLY", "FREQ=MINUTELY;INTERVAL=20", "FREQ=SECONDLY;INTERVAL=4000", "FREQ=DAILY;COUNT=90",
]


def instants(walls, zone):
    """RFC 5545, 3.3.5: the offset before a gap, the first of a repeated time; `fold=0` is just that."""
    return sorted({wall.replace(tzinfo=zone, fold=0).astimezone(UTC) for wall in walls})


def compare_years(expand):
    different = 0
    for name, year in YEARS:
        tally, zone, count = Tally(f"a year in {name} ({year})"), zoneinfo.ZoneInfo(name), 0
        first, last = dt.datetime(year, 1, 1), dt.datetime(year + 1, 1, 1)
        for rule in RULES:
            for clock in [(0, 0), (1, 45), (2, 0), (2, 15), (2, 30), (3, 0), (8, 0), (23, 59)]:
                start = first.replace(hour=clock[0], minute=clock[1])
                for policy in ["wall", "elapsed"]:
                    if policy == "wall":
                        wanted = instants(rrule.rrulestr(rule, dtstart=start).between(first, last, inc=True), zone)
                    else:
                        offset = start.replace(tzinfo=zone).utcoffset()
                        walls = rrule.rrulestr(rule, dtstart=start).between(first, last, inc=True)
                        wanted = sorted((wall - offset).replace(tzinfo=UTC) for wall in walls)
                    wanted = [moment.strftime("%Y-%m-%dT%H:%M:%SZ") for moment in wanted]
                    got = expand(start, rule, len(wanted), zone=name, policy=policy)
                    count += len(wanted)
                    tally.add(f"{iso(start)} {rule} {policy}", got, wanted)
        different += tally.show()
        print(f"  {count} occurrences")
    return different


def compare_zones(expand, seed):
    """Every zone of the system, at random walls and around each of its changes."""
    rng, tally = random.Random(seed), Tally("walls of every zone")
    for name in sorted(zoneinfo.available_timezones()):
        if name in ("localtime", "Factory") or name.startswith(("posix", "right")):
            continue
        zone = zoneinfo.ZoneInfo(name)
        walls = [dt.datetime(rng.randint(1900, 2200), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59)) for _ in range(40)]
        before = None
        for day in range(0, 366 * 60):
            wall = dt.datetime(1990, 1, 1) + dt.timedelta(days=day)
            offset = wall.replace(tzinfo=zone).utcoffset()
            if before is not None and offset != before:
                walls += [wall - dt.timedelta(days=1) + dt.timedelta(minutes=30 * n) for n in range(0, 96, 5)]
            before = offset
        walls = sorted(set(walls))[:400]
        wanted = [moment.strftime("%Y-%m-%dT%H:%M:%SZ") for moment in instants(walls, zone)]
        tally.add(name, expand(walls[0], "", 1000, zone=name, rdates=walls[1:]), wanted)
    return tally.show()


NEVER = [
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYMONTH=4;BYMONTHDAY=31", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31", "FREQ=WEEKLY;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=HOURLY;INTERVAL=24;BYHOUR=3", "FREQ=MINUTELY;INTERVAL=1440;BYMINUTE=3", "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=SECONDLY;INTERVAL=60;BYSECOND=5",
    "FREQ=DAILY;BYSETPOS=5", "FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6", "FREQ=DAILY;BYSECOND=60",
]


def show_never(expand):
    print("rules that never match end after")
    for rule in NEVER:
        clock = time.perf_counter()
        got = expand(dt.datetime(2026, 1, 1, 9), rule, 1)
        print(f"  {1000 * (time.perf_counter() - clock):7.1f} ms  {rule}" + (f"  GAVE {got}" if got else ""))
        if got:
            return 1
    return 0


def main():
    parser = argparse.ArgumentParser(prog="eval-recurrence")
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--cases", help="a file of cases, one in JSON a line: dtstart, rrule, expected")
    parser.add_argument("--rules", type=int, default=2_000, help="how many random rules (2,000)")
    parser.add_argument("--seed", type=int, default=1, help="where the random rules begin (1)")
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, alarm)
    expand = Expander(options.program)
    different = compare_cases(options.cases, expand) if options.cases else 0
    different += compare_random(options.rules, options.seed, expand)
    different += compare_years(expand)
    different += compare_zones(expand, options.seed)
    different += show_never(expand)
    sys.exit(1 if different else 0)


main()
