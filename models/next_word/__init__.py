"""Which source word is translated next: the models of Goto et al. (2013), without the decoder."""
