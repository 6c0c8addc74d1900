"""Japanese morphology for the rules of this folder."""
