"""What several human references change: a table of scores with one and with seven references a story.

    python docs/examples/several_references.py endings.jsonl FOLDER

reads the endings that people wrote for Possible Stories (Ashida and Sugawara 2022). For each story with at least seven
of them it scores two endings: `original`, the last sentence of the story in ROCStories, and `other_story`, that of
another story. The references are the first ending that somebody else wrote, or the first seven. The table has the mean
score of each, and in which share of the stories the story's own ending has the higher one, ties counted half.
"""

import json
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa

from denouement.schemas import TABLES, write_table
from denouement.stages.metrics import MetricsPaths, MetricsSettings, run
from denouement.text.sentences import split_sentences

SCORES = ("bleu", "rouge_l", "chrf", "reference_similarity", "token_matching")
SEVEN = 7


def main(file: Path, folder: Path) -> None:
    """Write the inputs of `denouement metrics score` to the folder, score twice as it does, and print the table."""
    folder.mkdir(parents=True, exist_ok=True)
    cases_file, endings_file = folder / "cases.parquet", folder / "endings.csv"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    stories = [row for row in rows if len(row["endings"]) >= SEVEN]
    ids = [story["roc_passage_id"] for story in stories]
    own = [story["original_ending"] for story in stories]
    other = [*own[1:], own[0]]
    cases = [
        {"case_id": case, "context": split_sentences(story["story"]), "question": None, "endings": [right, wrong],
         "right_ending": 1, "language": "en", "release": "possible_stories", "split": "validation"}
        for case, story, right, wrong in zip(ids, stories, own, other, strict=True)
    ]  # fmt: skip
    write_table(pa.Table.from_pylist(cases, TABLES["cloze"].schema), cases_file, "cloze")
    endings = [("original", own), ("other_story", other)]
    scored = pd.concat(pd.DataFrame({"case_id": ids, "system": name, "ending": texts}) for name, texts in endings)
    scored.to_csv(endings_file, index=False)
    written = [
        {"case_id": case, "ending": each["ending"], "place": place}
        for case, story in zip(ids, stories, strict=True)
        for place, each in enumerate(story["endings"])
    ]
    print(f"{len(ids)} stories")
    for n in (1, SEVEN):
        references, values = folder / f"references_{n}.csv", folder / f"scores_{n}.parquet"
        pd.DataFrame([row for row in written if row["place"] < n]).to_csv(references, index=False)
        run(MetricsSettings(SCORES), MetricsPaths(cases_file, (endings_file,), references, out=values))
        print(f"\n{n} reference{'s' if n > 1 else ''}\n{_table(values).to_string(float_format='{:.3f}'.format)}")


def _table(path: Path) -> pd.DataFrame:
    values = pd.read_parquet(path).pivot(index=["score", "case_id"], columns="system", values="value")
    values["higher"] = (values["original"] > values["other_story"]) + (values["original"] == values["other_story"]) / 2
    return values.groupby("score").mean()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
