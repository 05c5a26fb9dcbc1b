"""The cards: a decorated function each, in the file of its kind. A card's docstring is the sentence printed on it."""
