"""BERTopic with `PowerLawClusters` in the place of HDBSCAN; nothing is downloaded."""

from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_mutual_info_score

from powercut import PowerLawClusters

bertopic: Any = pytest.importorskip(
    "bertopic", reason="bertopic is not installed; it is heavy, and optional"
)
pytestmark = pytest.mark.filterwarnings("ignore")  # those of bertopic and of what it imports

SIZES = (120, 60, 40, 25, 15)
# An embedding that is far from those of all documents.
FAR = np.full((1, 30), 5.0)


def make_documents(sizes: tuple[int, ...], seed: int) -> tuple[list[str], Any]:
    """Return documents, half of whose words are those of a topic, and their topics."""
    random = np.random.default_rng(seed)
    topics = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    documents = []
    for topic in topics:
        own = [f"topic{topic}word{i}" for i in random.integers(25, size=12)]
        common = [f"common{i}" for i in random.integers(40, size=12)]
        documents.append(" ".join(own + common))
    return documents, topics


DOCUMENTS, TOPICS = make_documents(SIZES, 0)
TFIDF = TfidfVectorizer().fit(DOCUMENTS)
SVD = TruncatedSVD(30, random_state=0).fit(TFIDF.transform(DOCUMENTS))
EMBEDDINGS = SVD.transform(TFIDF.transform(DOCUMENTS))


def topic_model(**parameters: Any) -> Any:
    clusters = PowerLawClusters(random_state=0, **parameters)
    return bertopic.BERTopic(hdbscan_model=clusters, umap_model=PCA(10, random_state=0))


def test_topics_are_the_planted_ones_with_their_own_words() -> None:
    model = topic_model()
    topics, _ = model.fit_transform(DOCUMENTS, embeddings=EMBEDDINGS)
    assert adjusted_mutual_info_score(TOPICS, topics) == pytest.approx(1)
    # Topics of BERTopic are numbered by size, and so are our clusters.
    np.testing.assert_array_equal(topics, model.hdbscan_model.labels_)
    assert list(model.get_topic_info()["Topic"]) == [0, 1, 2, 3, 4]
    assert list(model.get_topic_info()["Count"]) == list(SIZES)
    for topic in range(len(SIZES)):
        assert all(word.startswith(f"topic{topic}") for word, _ in model.get_topic(topic))


def test_new_documents_get_their_topics() -> None:
    model = topic_model().fit(DOCUMENTS, embeddings=EMBEDDINGS)
    new, truth = make_documents((10, 10, 10, 10, 10), 1)
    topics, _ = model.transform(new, embeddings=SVD.transform(TFIDF.transform(new)))
    np.testing.assert_array_equal(topics, truth)
    again, _ = model.transform(DOCUMENTS, embeddings=EMBEDDINGS)
    np.testing.assert_array_equal(again, model.topics_)
    topics, _ = model.transform(["something else"], embeddings=FAR)
    assert topics[0] >= 0


def test_outliers_are_the_topic_of_outliers() -> None:
    documents, embeddings = [*DOCUMENTS, "something else"], np.vstack([EMBEDDINGS, FAR])
    model = topic_model(outliers="label")
    topics, _ = model.fit_transform(documents, embeddings=embeddings)
    assert topics[-1] == -1
    assert adjusted_mutual_info_score(TOPICS, topics[:-1]) > 0.95
    assert -1 in list(model.get_topic_info()["Topic"])
    assert model.transform(["something else"], embeddings=-FAR)[0][0] == -1
    assigned = model.reduce_outliers(
        documents, topics, strategy="embeddings", embeddings=embeddings
    )
    assert min(assigned) == 0
