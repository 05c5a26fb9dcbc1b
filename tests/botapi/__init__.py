"""The Bot API as others wrote it down: what every call of the bot, and everything the playground says, must fit."""
