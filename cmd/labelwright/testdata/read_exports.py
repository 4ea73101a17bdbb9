"""Reads exports with the tools that people use, and compares what they read.

Usage: read_exports.py FOLDER. Each folder in FOLDER is an export.
"""

import json
import pathlib
import sys

import datasets
import duckdb
import mlcroissant
import pandas
import polars

datasets.disable_progress_bars()
PANDAS = {
    "csv": lambda path: pandas.read_csv(path, keep_default_na=False, na_values=[""]),
    "jsonl": lambda path: pandas.read_json(path, lines=True, dtype=False, precise_float=True),
    "parquet": pandas.read_parquet,
}
DUCKDB = {"csv": "read_csv('%s', header = true, sample_size = -1, all_varchar = false)", "jsonl": "read_json('%s', sample_size = -1)", "parquet": "read_parquet('%s')"}
POLARS = {
    "csv": lambda path: polars.read_csv(path, infer_schema_length=None),
    "jsonl": lambda path: polars.read_ndjson(path, infer_schema_length=None),
    "parquet": polars.read_parquet,
}


def plain(value):
    """A value as text, so that tools with different types can be compared."""
    if value is None or value is pandas.NA or value is pandas.NaT or isinstance(value, float) and value != value:
        return ""
    if hasattr(value, "isoformat"):
        return value.isoformat()[:10]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value == int(value):
        value = int(value)
    text = str(value)
    return text[:10] if len(text) > 10 and text[4:5] == text[7:8] == "-" and text[10:11] == "T" else text


def columns_to_compare(file):
    return [c["name"] for c in file["columns"] if c["type"] != "json" and not c["name"].startswith("item.")]


def without_apostrophe(value, file):
    if file["exact"] or not value.startswith("'"):
        return value
    return value[1:]


def read_file(folder, file):
    """Returns the cells of each tool, after checking counts and types."""
    path, kind = str(folder / file["name"]), file["format"]
    tables = {
        "pandas": PANDAS[kind](path),
        "duckdb": duckdb.sql("SELECT * FROM " + DUCKDB[kind] % path).df(),
        "polars": POLARS[kind](path).to_pandas(),
    }
    cells = {}
    for tool, table in tables.items():
        assert len(table) == file["rows"], (path, tool, len(table), file["rows"])
        names = [c["name"] for c in file["columns"]]
        if kind == "jsonl":  # keys of an object have no order
            assert sorted(table.columns) == sorted(names), (path, tool, list(table.columns))
        else:
            assert list(table.columns) == names, (path, tool, list(table.columns))
        for column in file["columns"]:
            values = table[column["name"]].dropna()
            if column["type"] in ("integer", "number") and len(values):
                assert pandas.api.types.is_numeric_dtype(pandas.Series(values.tolist())), (path, tool, column)
            if column["type"] == "boolean" and len(values):
                assert set(map(plain, values)) <= {"true", "false"}, (path, tool, column, set(values))
        cells[tool] = [[without_apostrophe(plain(v), file) for v in table[name]] for name in columns_to_compare(file)]
    for tool, got in cells.items():
        for name, a, b in zip(columns_to_compare(file), cells["pandas"], got):
            assert a == b, (path, tool, name, [(x, y) for x, y in zip(a, b) if x != y][:3])
    return cells["pandas"]


def read_tables(folder, manifest, seen):
    for file in manifest["files"]:
        cells = read_file(folder, file)
        key = (manifest["project"], file["name"].split(".")[0], file["shape"], manifest["blinded"])
        known = seen.setdefault(key, cells)
        for name, a, b in zip(columns_to_compare(file), known, cells):
            assert [x.strip() for x in a] == [x.strip() for x in b], (key, file["format"], name, [(x, y) for x, y in zip(a, b) if x != y][:3])


def read_hub_folder(folder, manifest):
    for file in manifest["files"]:
        name = file["name"].split(".")[0]
        rows = datasets.load_dataset(str(folder), name, split="train", cache_dir=str(folder.parent / "cache"))
        assert len(rows) == file["rows"], (folder, name, len(rows))
        assert rows.column_names == [c["name"] for c in file["columns"]], (folder, name)
        for column in file["columns"]:
            dtype = str(rows.features[column["name"]].dtype)
            want = {"integer": "int64", "number": "float64", "boolean": "bool", "date": "date32", "timestamp": "timestamp[us, tz=UTC]"}.get(column["type"], "string")
            if file["format"] == "csv" and column["type"] in ("date", "timestamp"):
                want = "string"
            assert dtype == want, (folder, column, dtype)
    croissant = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not croissant.metadata.ctx.issues.errors, croissant.metadata.ctx.issues.report()
    assert str(croissant.metadata.ctx.conforms_to.value).endswith("1.1")
    for file in manifest["files"]:
        name = file["name"].split(".")[0]
        records = list(croissant.records(name))
        assert len(records) == file["rows"], (folder, file["name"], len(records))
        assert set(records[0]) == {f"{name}/{c['name']}" for c in file["columns"]}, (folder, file["name"], list(records[0]))


def read_label_studio(folder):
    from label_studio_sdk.label_interface import LabelInterface

    interface = LabelInterface((folder / "label-config.xml").read_text())
    interface.validate()
    tasks = json.loads((folder / "tasks.json").read_text())
    labels = 0
    for task in tasks:
        assert interface.validate_task({"data": task["data"]}), task
        for annotation in task["annotations"]:
            assert interface.validate_annotation(annotation), annotation
            labels += 1
    assert labels > 0, folder


def read_langfuse(folder):
    from langfuse.api.scores.types import CreateScoreRequest as Score

    scores = [Score.model_validate(json.loads(line)) for line in open(folder / "scores.jsonl")]
    assert scores and len({score.id for score in scores}) == len(scores), folder
    if (folder / "dataset-items.jsonl").exists():
        from langfuse.api.dataset_items.types import CreateDatasetItemRequest as Item

        items = [Item.model_validate(json.loads(line)) for line in open(folder / "dataset-items.jsonl")]
        assert items and len({item.id for item in items}) == len(items), folder


def main():
    seen, counts = {}, {}
    for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
        if not (folder / "manifest.json").exists():
            continue
        manifest = json.loads((folder / "manifest.json").read_text())
        layout = manifest["options"]["layout"]
        counts[layout] = counts.get(layout, 0) + 1
        if layout == "plain":
            read_tables(folder, manifest, seen)
        elif layout == "huggingface":
            read_hub_folder(folder, manifest)
        elif layout == "label-studio":
            read_label_studio(folder)
        else:
            read_langfuse(folder)
    print(json.dumps(counts))


main()
