"""Tasks on a cluster that Dask runs (https://distributed.dask.org): an optional extra."""
