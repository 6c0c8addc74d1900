"""The functions of `import hyperbaton`: the work of the commands of the same names."""
