"""Estimators with the scikit-learn API, and function shortcuts; `powercut` exports them."""
