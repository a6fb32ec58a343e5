"""pandas, by pyarrow, reads the records of format parquet: the same tables as those of format csv."""

import pandas as pd
import pyarrow.parquet

from common import HERE, end, equal, holds, run

folder = run(HERE / "scene.toml", "heap")
for what in ["bodies", "contacts", "series"]:
    text = pd.read_csv(folder / f"{what}.csv")
    columns = pd.read_parquet(folder / f"{what}-columns.parquet", engine="pyarrow")
    holds(f"columns of {what}", list(columns.columns) == list(text.columns))
    holds(f"{what} has rows", len(text) > 50)
    for name in text.columns:
        if name in ("mode", "roll_modes"):
            holds(name, (columns[name] == text[name]).all())
        else:
            equal(f"{what}.{name}", columns[name], text[name])
    counts = {"step", "id", "a", "b", "bodies", "contacts", "feature"} & set(text.columns)
    for name in counts:
        holds(f"{name} is a whole number", str(columns[name].dtype) == "int64")
    table = pyarrow.parquet.read_table(folder / f"{what}-columns.parquet")
    holds(f"{what} has no gaps", all(column.null_count == 0 for column in table.columns))
end()
