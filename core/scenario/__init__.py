"""Scenarios as data: one table, a script of choices, and what must be true in between. Read, played, recorded.

The command line reads and writes the files. Their form is a contract: scenarios/README.md of the founders.
"""

from core.scenario.form import Unfit, lay_table, read_script
from core.scenario.record import record
from core.scenario.stage import Failed, play

__all__ = ["Failed", "Unfit", "lay_table", "play", "read_script", "record"]
