"""The functions of `import hyperbaton`; each does the same as the command of its name."""
