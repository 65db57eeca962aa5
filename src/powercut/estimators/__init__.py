"""Estimators in the scikit-learn contract, and their one-line twins: `powercut` has them."""
