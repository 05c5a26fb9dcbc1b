"""Data that people edit. A package only so that it is found wherever the program is installed: importlib.resources.files("seeds")."""
