"""One command a figure: what the bot can bear, and what it costs. Run from the checkout: python -m bench.chaos --help."""
