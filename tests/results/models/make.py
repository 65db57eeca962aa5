"""Write the files of the current version of the format; see README.md."""

import sys
from pathlib import Path

import numpy as np

import powercut
from powercut.results.storage import VERSION

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))


def main() -> None:
    from test_storage import CASES

    for name in ("cut-likelihood", "cut-neighbors", "means-diagonal", "means-kmeans", "kernel"):
        path = HERE / f"{name}-v{VERSION}.npz"
        if path.exists():
            continue
        estimator, data, new = CASES[name]
        model = estimator.fit(data)
        rows = new.toarray() if hasattr(new, "toarray") else new
        powercut.save(path, model=model)
        expected = {
            "rows": rows,
            "predicted": model.predict(rows),
            "probability": model.predict_proba(rows),
        }
        with open(path, "r+b") as file:
            _append(file, {f"expected.{key}": value for key, value in expected.items()})
        print(path.name, path.stat().st_size)


def _append(file, arrays) -> None:  # type: ignore[no-untyped-def]
    """Add arrays to an archive."""
    import zipfile

    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


if __name__ == "__main__":
    main()
