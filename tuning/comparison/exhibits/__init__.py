"""What the papers show besides tables of translations, made anew on the data of a comparison."""
