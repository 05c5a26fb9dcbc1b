"""An update that fails again and again is put aside, blocks nobody, and goes well when the mistake is mended."""

from __future__ import annotations

import psycopg

from bench.processes import CHECKOUT, TOKEN, Processes
from db.url import conninfo
from tests.chaos.conftest import Housed

POISON = """
import sys
from telegram_bot import lobby
from telegram_bot.__main__ import main

def fails(*anything):
    raise LookupError("a mistake of ours")

lobby.open_lobby = fails
sys.exit(main())
"""


async def test_a_poison_update_is_put_aside_and_done_when_the_mistake_is_mended(housed: Housed) -> None:
    async with housed() as house:
        house.end(0)
        await house.ended(0)
        (house.folder / "poisoned.py").write_text(POISON)
        house.start(0, "poisoned", "web", "--host", "127.0.0.1", PYTHONPATH=f"{house.folder}:{CHECKOUT}")
        await house.up(0)
        ann = await house.telegram.person("Ann")
        bob = await house.telegram.person("Bob")
        group = await house.telegram.group("The camp", [ann, bob])
        await house.telegram.write(ann["id"], "/newgame", group["id"])
        await house.telegram.write(bob["id"], "/help", group["id"])  # waits behind it, in the same chat
        for _ in range(4):  # Telegram comes again at once, after two seconds, after four
            await house.telegram.forward(5)
            await house.telegram.post("wait", idle=True, quiet=0.2, timeout=20)
        answered = [message["text"] for message in await house.telegram.messages(group["id"])]
        assert any("/newgame opens a game" in text for text in answered)
        assert not any("An expedition gathers" in text for text in answered)
        with psycopg.connect(conninfo(house.database)) as connection:
            failed = connection.execute("select update_id, attempts, put_aside, error from failures").fetchall()
        assert [(row[1], row[2]) for row in failed] == [(3, True)]
        assert "LookupError" in failed[0][3]

        house.end(0)
        await house.ended(0)
        house.start(0)
        await house.up(0)
        assert f"{failed[0][0]}  " in dead(house)
        assert "done" in dead(house, "--retry", str(failed[0][0]))
        await house.telegram.post("wait", chat=group["id"], text="An expedition gathers", timeout=20)
        assert "0 put aside" in dead(house)


def dead(house: Processes, *more: str) -> str:
    """What `stay-away dead` prints."""
    assert house.nursery is not None
    environment = {"DATABASE_URL": house.database, "BOT_TOKEN": TOKEN, "TELEGRAM_API": house.telegram.address}
    log = house.folder / "dead.log"
    log.unlink(missing_ok=True)
    assert house.nursery.fork(["dead", *more], environment, log).wait(60) == 0
    return log.read_text()
