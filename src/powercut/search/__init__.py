"""Parts of the search that graphs and vectors share: J, starts, Algorithm 1, fits."""
