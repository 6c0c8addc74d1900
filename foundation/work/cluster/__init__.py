"""Tasks on a Dask cluster (https://distributed.dask.org): an optional extra."""
