"""Talking: the bot, its web process and its command line."""
