"""`stay-away dead`: the updates that failed three times or could not be read; listed, or tried again."""

from __future__ import annotations

import core
from db.store import Store
from telegram_bot.config import Config
from telegram_bot.errors import Wrong, told
from telegram_bot.service import build


async def listed(database_url: str) -> None:
    """List what was put aside."""
    async with Store(database_url, rules_v=core.RULES_VERSION, state_v=core.STATE_VERSION) as store:
        found = await store.failures()
    for one in found:
        print(f"{one.update_id}  {one.at:%Y-%m-%d %H:%M}  {one.attempts} times  {one.error}")
    print(f"{len(found)} put aside")


async def run(config: Config, retry: str) -> None:
    """Take again what was put aside, *retry* (a number, or "all"), and forget what goes well."""
    service = await build(config)
    try:
        found = await service.store.failures()
        chosen = [one for one in found if retry in ("all", str(one.update_id))]
        if not chosen and retry != "all":
            raise Wrong(f"no update {retry} was put aside: stay-away dead lists those that were")
        for one in chosen:
            try:
                await service.door.take(one.raw)
            except Exception as error:
                print(f"{one.update_id}  failed again: {told(error)}")
            else:
                await service.store.retried(one.update_id)
                print(f"{one.update_id}  done")
    finally:
        await service.close()
