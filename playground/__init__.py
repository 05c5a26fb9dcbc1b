"""A Telegram on this machine: a Bot API server with people, groups and a page, for trying a bot without a token.

``Playground`` is all of it in this process, ``python -m playground`` the same as a program. The manual is
docs/playground.md.
"""

from playground.server import Playground
from playground.world import World

__all__ = ["Playground", "World"]
