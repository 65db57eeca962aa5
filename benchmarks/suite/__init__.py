"""Benchmarks that asv runs on every commit it is given."""
