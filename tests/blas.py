"""The threads of BLAS libraries."""

from threadpoolctl import threadpool_info


def blas_threads():
    return [
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    ]
