"""Handlers: from Telegram's objects to a use case, and to the reply that closes it. None of the rules."""
