"""EVoC, a clusterer of embeddings, if it is installed."""

import importlib.util
from typing import Any

import numpy as np

from _vector_data import Points

IS_INSTALLED = importlib.util.find_spec("evoc") is not None


def fit_evoc(X: Points) -> Any:
    """Return EVoC fitted with its defaults and a seed."""
    from evoc import EVoC

    # It takes four principal components or more; columns of zeros change no cosine.
    missing = max(4 - X.shape[1], 0)
    model = EVoC(random_state=0)
    model.fit_predict(np.pad(X, ((0, 0), (0, missing))).astype(np.float32))
    return model
