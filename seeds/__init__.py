"""Data that people edit; a package so that `importlib.resources.files("seeds")` finds it wherever it is installed."""
