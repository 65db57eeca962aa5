"""Lowering J: Algorithm 1 of the paper, and exact moves on every grain."""
