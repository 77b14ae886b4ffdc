"""Compares the times that Kith reads out of phrases with expected ones, beside other libraries: called by tools/eval-time."""

import argparse
import collections
import datetime as dt
import json
import subprocess
import sys
import warnings

warnings.filterwarnings("ignore")
BASIC = "%Y%m%dT%H%M%S"
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
RIGHT, WRONG, NONE = "right", "wrong", "not at all"


class Reader:
    """The program that reads phrases with the code under test."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, case):
        reference = dt.datetime.fromisoformat(case["reference"])
        offset = int(reference.utcoffset().total_seconds()) if reference.tzinfo else 0
        region = {"en_GB": "britain", "en_AU": "australia", "en_CA": "canada"}.get(case.get("locale"), "unitedStates")
        wall = reference.replace(tzinfo=None).strftime(BASIC)
        self.process.stdin.write(f"{wall}\t{offset}\t{region}\t{case['text']}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n").split("\t")


# --- Judging ---------------------------------------------------------------------------------------


UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}


def after_span(case):
    """The time so long after the reference."""
    from dateutil.relativedelta import relativedelta

    reference = dt.datetime.fromisoformat(case["reference"]).replace(tzinfo=None)
    months = {"month": 1, "quarter": 3, "year": 12}.get(case["unit"])
    length = relativedelta(months=months * case["value"]) if months else dt.timedelta(seconds=UNITS[case["unit"]] * case["value"])
    return (reference + length).isoformat()


def judge_once(case, answer):
    """A time, an interval, or none."""
    kind = case["type"]
    if kind == "duration":
        if answer[0] == "nothing":
            return NONE
        # A length is read as `in` so long.
        return RIGHT if answer[0] == "once" and answer[5] == after_span(case) else WRONG
    if answer[0] == "nothing":
        return RIGHT if kind in ("negative", "none") else NONE
    if kind in ("negative", "none"):
        return WRONG
    if answer[0] == "recurring":
        return WRONG
    shape, start, end, grain = answer[1:5]
    if kind == "interval":
        return RIGHT if (shape, start, end) == ("interval", case["expected_start"], case["expected_end_exclusive"]) else WRONG
    expected = case["expected"] if len(case["expected"]) > 10 else case["expected"] + "T00:00:00"
    shapes = {"open_after": ("after",), "open_before": ("before",), "instant": ("point",)}[kind]
    if case.get("grain"):
        return RIGHT if shape in shapes and start == expected and grain == case["grain"] else WRONG
    # A set without grains: a day may be an interval of the day's part.
    return RIGHT if start == expected else WRONG


def rule_of(text):
    return {name.lower(): value for name, value in (part.split("=") for part in text.split(";"))}


def occurrences(start, rule, exrule=None):
    from dateutil import rrule as dateutil

    last = start + dt.timedelta(days=1100)
    found = set(dateutil.rrulestr(rule, dtstart=start).between(start, last, inc=True))
    return found - set(dateutil.rrulestr(exrule, dtstart=start).between(start, last, inc=True)) if exrule else found


def judge_recurring(case, answer):
    if answer[0] == "nothing":
        return NONE
    if answer[0] != "recurring":
        return WRONG
    wanted = {name: str(value) for name, value in case["expected"].items()}
    got = rule_of(answer[2])
    got.setdefault("interval", "1")
    names = ("freq", "interval", "byday", "bymonthday", "byyearday", "byweekno", "bymonth", "bysetpos", "count")
    values = lambda rule, name: set(rule.get(name, "").upper().split(","))
    same = all(values(got, name) == values(wanted, name) for name in names)
    if "byhour" in wanted:
        same &= all(values(got, name) == values(wanted, name) for name in ("byhour", "byminute"))
    same &= got.get("until", "")[:8] == wanted.get("until", "")[:8]
    if not same and "exrule" not in wanted:
        return WRONG
    # A day that was said to be the first is that of the start or before the first occurrence.
    if "dtstart" in wanted and not same_start(case, answer, wanted):
        return WRONG
    excluded = set(filter(None, answer[3].split(",")))
    if "exrule" in wanted:
        start = dt.datetime.fromisoformat(case["reference"])
        strip = lambda rule: ";".join(p for p in rule.split(";") if not p.startswith(("COUNT", "UNTIL")))
        plain = ";".join(f"{n.upper()}={v.upper()}" for n, v in wanted.items() if n != "exrule")
        return RIGHT if occurrences(start, strip(answer[2])) == occurrences(start, plain, wanted["exrule"]) else WRONG
    days = set()
    for date in case["expected"].get("exdate", []):
        if isinstance(date, list):
            day = dt.date(date[1], date[0], 1)
            while day.month == date[0]:
                days.add(day.isoformat())
                day += dt.timedelta(days=1)
        else:
            days.add(date)
    return RIGHT if excluded == days else WRONG


def same_start(case, answer, wanted):
    wanted_start = dt.datetime.strptime(wanted["dtstart"], "%Y%m%d")
    start = dt.datetime.fromisoformat(answer[1])
    rule = ";".join(p for p in answer[2].split(";") if not p.startswith(("COUNT", "UNTIL", "INTERVAL")))
    first = min(occurrences(wanted_start.replace(hour=start.hour, minute=start.minute), rule))
    return start == first or start.date() == wanted_start.date()


def judge(case, answer):
    return judge_recurring(case, answer) if case["type"] == "recurring" else judge_once(case, answer)


# --- Others ----------------------------------------------------------------------------------------


def with_dateparser(case):
    import dateparser

    reference = dt.datetime.fromisoformat(case["reference"]).replace(tzinfo=None)
    order = "DMY" if case.get("locale") in ("en_GB", "en_AU") else "MDY"
    settings = {"RELATIVE_BASE": reference, "PREFER_DATES_FROM": "future", "DATE_ORDER": order}
    found = dateparser.parse(case["text"], languages=["en"], settings=settings)
    return found and found.replace(tzinfo=None)


def with_parsedatetime(case, calendar=[]):
    import parsedatetime

    if not calendar:
        calendar.append(parsedatetime.Calendar())
    reference = dt.datetime.fromisoformat(case["reference"]).replace(tzinfo=None)
    found, status = calendar[0].parseDT(case["text"], sourceTime=reference)
    return found if status else None


GRAINS = ["year", "month", "day", "hour", "minute", "second"]


def judge_other(case, found):
    """Others give one moment: the start of what is meant is taken for right, at the grain that is expected."""
    kind = case["type"]
    if kind in ("negative", "none"):
        return WRONG if found else RIGHT
    if kind == "recurring":
        return WRONG if found else NONE
    if kind == "duration":
        return NONE if not found else RIGHT if found.isoformat() == after_span(case) else WRONG
    if not found:
        return NONE
    expected = case.get("expected_start") or case["expected"]
    grain = {"week": "day", "quarter": "month"}.get(case.get("grain"), case.get("grain") or ("second" if len(expected) > 10 else "day"))
    length = {"year": 4, "month": 7, "day": 10, "hour": 13, "minute": 16, "second": 19}[grain]
    return RIGHT if found.isoformat()[:length] == expected[:length] else WRONG


# --- Tables ----------------------------------------------------------------------------------------


def kind_of(case):
    if case.get("latent"):
        return "latent"
    if case.get("holiday"):
        return "holiday"
    return case["type"]


def table(title, rows):
    print(f"\n{title}")
    print(f"  {'kind':<14}{'phrases':>8}{'right':>8}{'wrong':>8}{'not at all':>12}{'right of claimed':>18}")
    whole = collections.Counter()
    for kind in sorted(rows):
        whole.update(rows[kind])
    for kind, counts in [*sorted(rows.items()), ("all", whole)]:
        total, claimed = sum(counts.values()), counts[RIGHT] + counts[WRONG]
        share = f"{100 * counts[RIGHT] / claimed:.1f} %" if claimed else "-"
        print(f"  {kind:<14}{total:>8}{counts[RIGHT]:>8}{counts[WRONG]:>8}{counts[NONE]:>12}{share:>18}")
    sys.stdout.flush()


def load(path):
    cases = [json.loads(line) for line in open(path)]
    for case in cases:
        case.setdefault("reference", "2013-02-12T04:30:00-02:00")
        if case["type"] == "duration":
            case["text"] = "in " + case["text"]
        if case["type"] == "expected_failure" or isinstance(case.get("expected"), dict) and case["expected"].get("expected_failure"):
            case["type"] = "left out"
    return [case for case in cases if case["type"] != "left out"]


def evaluate(path, reader, others, show, latent):
    cases = load(path)
    rows, unlike = collections.defaultdict(collections.Counter), []
    for case in cases:
        kind = kind_of(case)
        answer = reader(case)
        verdict = judge(case, answer)
        if kind == "latent" and not latent:
            # Phrases that are times only to who insists: to be left alone is right.
            verdict = RIGHT if answer[0] == "nothing" else verdict
        rows[kind][verdict] += 1
        if verdict != RIGHT:
            unlike.append((verdict, kind, case, answer))
    table(f"kith on {path}", rows)
    for name, other in others:
        rows = collections.defaultdict(collections.Counter)
        for case in cases:
            try:
                found = other(case)
            except Exception:
                found = None
            rows[kind_of(case)][judge_other(case, found)] += 1
        table(f"{name} on {path}", rows)
    if show:
        for verdict, kind, case, answer in unlike:
            if show == "wrong" and verdict != WRONG:
                continue
            expected = case.get("expected") or (case.get("expected_start"), case.get("expected_end_exclusive"))
            print(f"  {verdict:<10} {kind:<10} {case['text']!r} {case.get('grain') or ''} expected {expected} got {answer}")


def main():
    parser = argparse.ArgumentParser(prog="eval-time")
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="+", help="files of phrases, one in JSON a line: text, reference, type, expected")
    parser.add_argument("--no-others", action="store_true", help="Kith alone")
    parser.add_argument("--show", choices=["wrong", "all"], help="print what was wrong, or also what was not read")
    parser.add_argument("--latent", action="store_true", help="count phrases marked latent as times")
    options = parser.parse_args()
    others = []
    if not options.no_others:
        for name, function in [("dateparser", with_dateparser), ("parsedatetime", with_parsedatetime)]:
            try:
                module = __import__(name)
                others.append((f"{name} {getattr(module, '__version__', '')}".strip(), function))
            except ImportError:
                print(f"eval-time: {name} is not installed and left out", file=sys.stderr)
    reader = Reader(options.program)
    for path in options.files:
        evaluate(path, reader, others, options.show, options.latent)


main()
