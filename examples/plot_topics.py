"""
Topics of documents
===================

Find the topics of a collection of texts, their number unknown: tf-idf, 150 dimensions by truncated
SVD, and ``PowerLawClusters``. The documents are those that come with SciPy, one for each of its
public functions and classes. The subpackage of each is known, and not used.
"""

import inspect
from importlib import import_module

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from powercut import PowerLawClusters

PACKAGES = (
    *("cluster.hierarchy", "fft", "integrate", "interpolate", "io", "linalg", "ndimage"),
    *("optimize", "signal", "sparse", "spatial", "special", "stats"),
)


def documents(package):
    """Return the documentation of the functions and classes of a package, by name."""
    exported = vars(import_module(package))
    texts = {
        f"{package}.{name}": inspect.getdoc(thing)
        for name, thing in exported.items()
        if callable(thing) and name in exported["__all__"]
    }
    return {name: text for name, text in texts.items() if text and len(text) > 200}


texts = {}
for package in PACKAGES:
    texts |= documents(f"scipy.{package}")

# %%
# Rows of length 1 make distances those of the cosine. Nothing is set but the seed.

tfidf = TfidfVectorizer(
    sublinear_tf=True, stop_words="english", token_pattern="[a-z]{3,}", min_df=5, max_df=0.5
)
embed = make_pipeline(tfidf, TruncatedSVD(150, random_state=0), Normalizer())
X = embed.fit_transform(texts.values())
model = PowerLawClusters(random_state=0).fit(X)

subpackage = [name.split(".")[1] for name in texts]
agreement = adjusted_mutual_info_score(subpackage, model.labels_)
print(f"{len(texts)} documents: {model.n_clusters_} topics in {len(set(subpackage))} subpackages")
print(f"agreement of topics and subpackages: AMI {agreement:.2f}")

# %%
# A topic is described by the words that weigh more in it than in all documents. Topics are finer
# than subpackages where a subpackage is large, and some have documents of several.

weights = tfidf.transform(texts.values())
words = tfidf.get_feature_names_out()


def top_words(topic):
    """Return the words whose mean weight in a topic exceeds that in all documents most."""
    excess = np.ravel(weights[model.labels_ == topic].mean(axis=0) - weights.mean(axis=0))
    return ", ".join(words[np.argsort(-excess)[:4]])


shown = np.arange(min(20, model.n_clusters_))
table = contingency_matrix(model.labels_, subpackage)[shown]

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9.5, 6), sharey=True, width_ratios=[2, 3], layout="constrained"
)
left.barh(shown, model.cluster_sizes_[shown], color="#0072b2")
left.set_yticks(shown, [top_words(topic) for topic in shown])
left.invert_yaxis()
left.spines[["top", "right"]].set_visible(False)
left.set(xlabel="documents", title=f"the {len(shown)} largest of {model.n_clusters_} topics")
shares = right.imshow(table / table.sum(axis=1, keepdims=True), cmap="Blues", aspect="auto")
columns = sorted(set(subpackage))
right.set_xticks(range(len(columns)), columns, rotation=45, ha="right", rotation_mode="anchor")
right.tick_params(axis="y", left=False)
right.set_title("subpackages of scipy")
figure.colorbar(shares, ax=right, label="share of the topic")
plt.show()

# %%
# New documents get topics too, with a probability: here some of NumPy, and one on another subject.

new = {
    **{name: documents("numpy.fft")[f"numpy.fft.{name}"] for name in ("rfft", "ifft2")},
    **{name: documents("numpy.linalg")[f"numpy.linalg.{name}"] for name in ("svd", "cholesky")},
    "recipe": (
        "Whisk the flour with the butter and the sugar, add two eggs, pour the dough into a form, "
        "and bake it in a hot oven until it is golden."
    ),
}
probability = model.predict_proba(embed.transform(new.values()))
for name, row in zip(new, probability, strict=True):
    print(f"{name:10s}{row.max():.2f}  {top_words(row.argmax())}")
