"""Parallel work: in threads, in processes, on other machines."""
