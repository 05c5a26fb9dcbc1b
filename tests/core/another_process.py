"""A process that continues stored games: a game as JSON on each line it reads, the game after one more answer on each
line it writes; an empty line when the game is over."""

import sys
from random import Random

import msgspec

import core


def main() -> None:
    for line in sys.stdin:
        step = core.resume(msgspec.json.decode(line, type=core.Game))
        if step.outcome is not None:
            print(flush=True)
            continue
        dice = Random(step.game.digest)
        seat = dice.choice(list(step.asks))
        after = core.apply(step.game, seat, dice.choice(step.asks[seat].choices))
        print(msgspec.json.encode(after.game).decode(), flush=True)


if __name__ == "__main__":
    main()
