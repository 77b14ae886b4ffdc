#!/usr/bin/env python3
"""What a practitioner would reach for: scikit-learn TF-IDF (words 1-2, characters 3-5) and a logistic regression.

Usage: baseline.py DATA_DIR TEXTS
Trains on DATA_DIR/train.jsonl (scam against the rest) and prints one score a line for the lines of TEXTS, each an object with
a text. tools/eval-risk runs it and computes the figures of both sides with the same code.
"""
import json
import os
import sys

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline, make_union


def rows(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def main():
    folder, texts = sys.argv[1:3]
    train = rows(os.path.join(folder, "train.jsonl"))
    model = make_pipeline(
        make_union(
            TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2),
            TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, min_df=2),
        ),
        LogisticRegression(C=10, max_iter=1000, solver="liblinear", random_state=0),
    )
    model.fit([r["text"] for r in train], [int(r["label"] == "scam") for r in train])
    for p in model.predict_proba([r["text"] for r in rows(texts)])[:, 1]:
        print(f"{p:.6f}")


main()
