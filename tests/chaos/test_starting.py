"""A process starts whatever Telegram and the database do at that moment."""

from __future__ import annotations

from tests.chaos.conftest import Housed

STUMBLES = (("getMe", "reset_after"), ("getWebhookInfo", "502"), ("getMyCommands", "429"))


async def test_a_process_starts_though_telegram_stumbles(housed: Housed) -> None:
    async with housed() as house:
        house.end(0)
        await house.ended(0)
        before = (await house.telegram.get("calls", last=0))["n"]
        for method, kind in STUMBLES:
            await house.telegram.post("faults", kind=kind, method=method)
        house.start(0)
        await house.up(0)
        # The menus come last, and are set all the same.
        called = await house.telegram.post("wait", call="getMyDescription", after=before, timeout=30)
        assert called["call"]["ok"]
        assert all(fault["done"] for fault in (await house.telegram.get("faults"))["faults"])
        assert not house.complaints()
