"""The methods of the Bot API, on the world: what a bot can do, and what it is refused, in Telegram's words."""

from playground.methods import chats, face, messages, updates
from playground.methods.api import METHODS, BotApi, Call, File
from playground.methods.updates import allowed, get_updates

__all__ = ["METHODS", "BotApi", "Call", "File", "allowed", "chats", "face", "get_updates", "messages", "updates"]
