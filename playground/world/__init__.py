"""The world of a Telegram that lives in this process. Pure: no sockets, no tasks, no files.

What people do are methods of World and end in updates in a bot's queue; what bots do is methods.py. Times are seconds
of the world's own clock, which can be moved.
"""

from playground.world.groups import Groups


class World(Groups):
    """All of it, and what people can do in it."""
