"""The operation sequence model (Durrani, Schmid and Fraser 2011)."""
