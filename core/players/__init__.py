"""Who chooses when no person does: the clock (R65, R66), and the players played by the bot. From a view alone."""

from core.players import bot, clock

__all__ = ["bot", "clock"]
