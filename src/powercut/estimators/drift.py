"""How far the clusters of a graph that was updated are from those of a fit."""

from dataclasses import dataclass

# A refit is worth its time if it shortens the description by more than this share.
WORTH = 0.001


@dataclass(frozen=True, repr=False)
class Drift:
    """What a fit would gain over clusters that were updated, as `PowerLawCut.drift_` estimates it.

    Attributes
    ----------
    nats : float
        By how much a fit of the graph as it is now would shorten its description: what the last
        stage of its search gains, which is most of what a fit gains.
    share : float
        The same, as a share of the description length.
    """

    nats: float
    share: float

    @property
    def is_due(self) -> bool:
        """Whether a refit is worth its time: the share is above .1%."""
        return self.share > WORTH

    def __repr__(self) -> str:
        verdict = "a refit is worth it" if self.is_due else "no refit is needed"
        return f"<Drift of {self.nats:,.0f} nats, {self.share:.3%} of the description: {verdict}>"
