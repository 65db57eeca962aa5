# /// script
# dependencies = ["powercut", "pandas", "plotly", "tqdm", "pyyaml"]
# [tool.journey]
# page = "docs/topics.md"
# without-dependencies = ["bertopic"]
# ///
"""Topics by BERTopic with `PowerLawClusters`, of embeddings that were made before."""

import inspect
from importlib import import_module

from bertopic import BERTopic
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from steps import check

import powercut

texts = []
for package in ("fft", "linalg", "ndimage", "stats"):
    exported = vars(import_module(f"scipy.{package}"))
    texts += [inspect.getdoc(exported[name]) or name for name in exported["__all__"]]
tfidf = TfidfVectorizer(
    sublinear_tf=True, stop_words="english", token_pattern="[a-z]{3,}", min_df=3
)
X = make_pipeline(tfidf, TruncatedSVD(50, random_state=0), Normalizer()).fit_transform(texts)

topics = BERTopic(
    hdbscan_model=powercut.PowerLawClusters(random_state=0),
    umap_model=PCA(20, random_state=0),
)
labels, _ = topics.fit_transform(texts, embeddings=X)
info = topics.get_topic_info()
check(f"{len(info)} topics of {len(texts)} texts", 3 < len(info) < 60)
check("every text has one", min(labels) == 0)
words = {word for topic in info["Topic"] for word, _ in topics.get_topic(topic)}
check("their words", {"fourier", "distribution"} & words)
check("sizes fall", info["Count"].is_monotonic_decreasing)
