"""A Telegram on this machine: a Bot API server with people, groups and a web page, for trying a bot without a token and for tests.

``Playground`` is all of it in this process; ``python -m playground`` the same as a program. docs/playground.md is the manual.
"""

from playground.server import Playground
from playground.world import World

__all__ = ["Playground", "World"]
