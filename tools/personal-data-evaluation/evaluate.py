"""How much personal data is found, and how much of what is found is personal, per type and per file, beside Presidio.

evaluate.py --program PROGRAM FILE... [--no-others] [--show missed|false] [--strict]

A file has a text in JSON a line, with its spans in Unicode code points: `spans` (start, end, entity), or `entities`,
`expected_spans` of one recognizer's test. What is found counts as right when it is of the type and overlaps the label by at least
half of both; with --strict it must be the same span. Of an address half of the label is enough.
"""

import argparse
import collections
import json
import subprocess
import sys

# Types with rules and checksums of their own; the others depend on the words around, or are phones and addresses.
STRUCTURED = {"CARD", "SSN", "ITIN", "IBAN", "WALLET", "MEDICARE", "ROUTING", "NPI", "EMAIL", "IP", "MAC"}
KITH = {
    "PAYMENT_CARD": "CARD", "SSN": "SSN", "ITIN": "ITIN", "IBAN": "IBAN", "WALLET_ADDRESS": "WALLET",
    "MEDICARE_ID": "MEDICARE", "BANK_ROUTING": "ROUTING", "BANK_ACCOUNT": "ACCOUNT", "EMAIL": "EMAIL",
    "PHONE": "PHONE", "ADDRESS": "ADDRESS", "DATE_OF_BIRTH": "BIRTH", "DRIVERS_LICENSE": "LICENSE",
    "PASSPORT": "PASSPORT", "NPI": "NPI", "DEA_NUMBER": "DEA", "IP_ADDRESS": "IP", "MAC_ADDRESS": "MAC",
}
LABELS = {
    "CREDIT_CARD": "CARD", "US_SSN": "SSN", "US_ITIN": "ITIN", "IBAN_CODE": "IBAN", "IBAN": "IBAN", "CRYPTO": "WALLET",
    "US_MBI": "MEDICARE", "ABA_ROUTING_NUMBER": "ROUTING", "US_BANK_NUMBER": "ACCOUNT", "EMAIL_ADDRESS": "EMAIL",
    "EMAIL": "EMAIL", "PHONE_NUMBER": "PHONE", "PHONE": "PHONE", "US_DRIVER_LICENSE": "LICENSE", "US_PASSPORT": "PASSPORT",
    "US_NPI": "NPI", "MEDICAL_LICENSE": "DEA", "IP_ADDRESS": "IP", "MAC_ADDRESS": "MAC", "DATE_OF_BIRTH": "BIRTH",
}
PRESIDIO = {
    "CREDIT_CARD", "US_SSN", "US_ITIN", "IBAN_CODE", "CRYPTO", "US_MBI", "ABA_ROUTING_NUMBER", "US_BANK_NUMBER",
    "EMAIL_ADDRESS", "PHONE_NUMBER", "US_DRIVER_LICENSE", "US_PASSPORT", "US_NPI", "MEDICAL_LICENSE", "IP_ADDRESS",
    "MAC_ADDRESS",
}


def read(path):
    """The texts of a file: (text, labels as (type, start, end), types that are labelled or None for all)."""
    cases = []
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        if "spans" in row:
            labels = []
            for span in row["spans"]:
                kind = LABELS.get(span["entity"])
                if span.get("field") == "address":
                    kind = "ADDRESS"
                # Number and name of a street are an address, though labelled by their parts.
                if span.get("field") == "building_number":
                    street = [s for s in row["spans"] if s["field"] == "street_name" and 0 < s["start"] - span["end"] < 3]
                    labels += [("ADDRESS", span["start"], s["end"]) for s in street]
                if kind:
                    labels.append((kind, span["start"], span["end"]))
            cases.append((row["text"], labels, None))
        elif row.get("case_type") == "recognise" and row.get("entities"):
            kinds = [LABELS.get(entity) for entity in row["entities"]]
            if row["recognizer"] is None or not all(kinds) or row["expected_spans"] is None:
                continue
            if len(set(kinds)) == 1:
                kinds = kinds[:1] * len(row["expected_spans"]) or kinds
            spans = row["expected_spans"]
            labels = [(kind, *span) for kind, span in zip(kinds, spans)]
            cases.append((row["text"], labels, set(kinds)))
    return cases


def scan(program, texts):
    """What Kith finds, in code points."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    data = b"".join(b"%d\n" % len(text) + text for text in encoded)
    out = subprocess.run([program], input=data, stdout=subprocess.PIPE, check=True).stdout
    found = []
    for text, line in zip(encoded, out.decode().split("\n")):
        spans = []
        for entry in filter(None, line.split(";")):
            kind, start, end, _ = entry.split(" ")
            begin = len(text[: int(start)].decode("utf-8", "replace"))
            length = len(text[int(start) : int(end)].decode("utf-8", "replace"))
            spans.append((KITH.get(kind, kind), begin, begin + length))
        found.append(spans)
    return found


def presidio():
    """A function that finds with Presidio's pattern recognizers. Its models of names have no part in these types, so its tokenizer
    alone is used: a blank spaCy pipeline whose lemmas are the words, for its words of context."""
    import logging

    logging.disable(logging.WARNING)
    import spacy
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NlpEngine, SpacyNlpEngine
    from presidio_analyzer import predefined_recognizers as recognizers
    from spacy.language import Language

    @Language.component("words_as_lemmas")
    def words_as_lemmas(document):
        for token in document:
            token.lemma_ = token.lower_
        return document

    class Tokens(SpacyNlpEngine):
        def __init__(self):
            super().__init__()
            pipeline = spacy.blank("en")
            pipeline.add_pipe("words_as_lemmas")
            self.nlp = {"en": pipeline}

        def load(self):
            pass

    registry = RecognizerRegistry()
    names = [
        "CreditCardRecognizer", "UsSsnRecognizer", "UsItinRecognizer", "IbanRecognizer", "CryptoRecognizer", "UsMbiRecognizer",
        "AbaRoutingRecognizer", "UsBankRecognizer", "EmailRecognizer", "PhoneRecognizer", "UsLicenseRecognizer",
        "UsPassportRecognizer", "UsNpiRecognizer", "MedicalLicenseRecognizer", "IpRecognizer", "MacAddressRecognizer",
    ]
    for name in names:
        recognizer = getattr(recognizers, name, None)
        if recognizer is None:
            print(f"eval-pii: this Presidio has no {name}", file=sys.stderr)
        else:
            registry.add_recognizer(recognizer())
    engine = AnalyzerEngine(registry=registry, nlp_engine=Tokens(), supported_languages=["en"])
    known = sorted(PRESIDIO & set(engine.get_supported_entities("en")))

    def find(text, threshold):
        spans = []
        results = engine.analyze(text=text, language="en", entities=known, score_threshold=threshold)
        # One owner for each place, the surest first, as its anonymizer has it.
        for result in sorted(results, key=lambda r: (-r.score, r.start - r.end)):
            if all(result.end <= start or end <= result.start for _, start, end in spans):
                spans.append((LABELS[result.entity_type], result.start, result.end))
        return spans

    return find


def overlaps(label, span, strict):
    if label[0] != span[0]:
        return False
    if strict:
        return label[1:] == span[1:]
    common = min(label[2], span[2]) - max(label[1], span[1])
    # An address may go on with a city that is labelled as such.
    longest = label[2] - label[1] if label[0] == "ADDRESS" else max(label[2] - label[1], span[2] - span[1])
    return 2 * common >= longest


def compare(cases, found, strict):
    """Counts by type: right, missed, false; and what they were."""
    counts = collections.defaultdict(lambda: [0, 0, 0])
    notes = []
    for (text, labels, kinds), spans in zip(cases, found):
        left = [span for span in spans if kinds is None or span[0] in kinds]
        for label in labels:
            match = next((span for span in left if overlaps(label, span, strict)), None)
            if match:
                left.remove(match)
                counts[label[0]][0] += 1
            else:
                counts[label[0]][1] += 1
                notes.append(("missed", label, text, spans))
        for span in left:
            counts[span[0]][2] += 1
            notes.append(("false", span, text, labels))
    return counts, notes


def percent(part, whole):
    return f"{100 * part / whole:6.1f}" if whole else "     -"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--no-others", action="store_true")
    parser.add_argument("--show", choices=["missed", "false"])
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    find = None
    if not options.no_others:
        try:
            find = presidio()
        except ImportError as error:
            print(f"eval-pii: Presidio is missing ({error}), so there is nothing to compare with", file=sys.stderr)
    for path in options.files:
        cases = read(path)
        if not cases:
            print(f"{path}: no labelled texts", file=sys.stderr)
            continue
        columns = [("Kith", scan(options.program, [text for text, _, _ in cases]))]
        if find:
            for threshold in (0.0, 0.4):
                columns.append((f"Presidio {threshold}", [find(text, threshold) for text, _, _ in cases]))
        results = [(name, *compare(cases, found, options.strict)) for name, found in columns]
        print(f"\n{path}: {len(cases)} texts; precision and recall in %")
        print(f"{'':12}{'labels':>7}" + "".join(f"{name:>16}" for name, _, _ in results))
        kinds = sorted({kind for _, counts, _ in results for kind in counts})
        groups = [(kind, [kind]) for kind in kinds] + [("structured", [k for k in kinds if k in STRUCTURED])]
        for title, members in groups:
            row = f"{title:12}"
            for index, (_, counts, _) in enumerate(results):
                right, missed, false = (sum(counts[k][i] for k in members if k in counts) for i in range(3))
                if index == 0:
                    row += f"{right + missed:7}"
                row += f"  {percent(right, right + false)} {percent(right, right + missed)}"
            print(row)
        if options.show:
            for what, span, text, other in results[0][2]:
                if what == options.show:
                    print(what, span, repr(text[max(0, span[1] - 60) : span[2] + 40]), other)


main()
