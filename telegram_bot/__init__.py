"""Talking: the bot, its web process and its command line."""

import os

# python-telegram-bot warns at each RetryAfter until one chooses how its seconds come; as a timedelta is their future.
os.environ.setdefault("PTB_TIMEDELTA", "true")
