"""Baselines that the paper compares with: DP-means, pyp-means, normalized cut."""

from powercut.baselines.dp_means import DPMeans
from powercut.baselines.normalized_cut import NormalizedCut
from powercut.baselines.pyp_means import PYPMeans

__all__ = ["DPMeans", "NormalizedCut", "PYPMeans"]
