"""Data that people edit. A package only so that `importlib.resources.files("seeds")` finds it wherever it is installed."""
