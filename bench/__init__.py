"""One command a figure: what the bot can bear, and what it costs. From the checkout: python -m bench.chaos --help."""
