"""How updates reach the bot: order, retries, lifetimes, and answers in the body (field/telegram.md 2)."""

import asyncio

from aiohttp import web


async def cast(far, people=2):
    who = [await far.person(name, start=True) for name in ("Ann", "Bob", "Cid")[:people]]
    await far.updates()
    return who


async def until_calm(far):
    await far.post("wait", idle=True, quiet=0.02)


async def test_updates_come_with_the_secret(far, hook):
    ann, _ = await cast(far)
    await far.call("setWebhook", url=hook.url, secret_token="s3cret_-")
    await far.post("write", as_=ann, text="hello")
    (update,) = await hook.until(1)
    assert update["message"]["text"] == "hello"
    assert hook.headers[0]["X-Telegram-Bot-Api-Secret-Token"] == "s3cret_-"
    assert hook.headers[0]["Content-Type"] == "application/json"
    await until_calm(far)
    assert (await far.call("getWebhookInfo"))["pending_update_count"] == 0


async def test_without_a_secret_there_is_no_header(far, hook):
    ann, _ = await cast(far)
    await far.call("setWebhook", url=hook.url)
    await far.post("write", as_=ann, text="hello")
    await hook.until(1)
    assert "X-Telegram-Bot-Api-Secret-Token" not in hook.headers[0]


async def test_update_ids_grow_by_one(far, hook):
    ann, bob = await cast(far)
    await far.call("setWebhook", url=hook.url)
    for who in (ann, bob, ann):
        await far.post("write", as_=who, text="x")
    ids = sorted(u["update_id"] for u in await hook.until(3))
    assert ids == [ids[0], ids[0] + 1, ids[0] + 2]


async def test_a_chat_waits_for_its_own_update_and_for_no_other(far, hook):
    ann, bob = await cast(far)
    gate = asyncio.Event()

    async def slowly():
        await gate.wait()
        return web.Response()

    hook.answer = lambda update: slowly() if update["message"].get("text") == "first" else web.Response()
    await far.call("setWebhook", url=hook.url)
    for who, text in ((ann, "first"), (ann, "second"), (bob, "other")):
        await far.post("write", as_=who, text=text)
    assert [u["message"]["text"] for u in await hook.until(2)] == ["first", "other"]
    gate.set()
    assert [u["message"]["text"] for u in await hook.until(3)] == ["first", "other", "second"]


async def test_presses_queue_by_person(far, hook):
    ann, bob = await cast(far)
    group = await far.group(ann, bob)
    await far.call(
        "sendMessage",
        chat_id=group,
        text="x",
        reply_markup={"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]},
    )
    await far.updates()
    gate = asyncio.Event()

    async def slowly():
        await gate.wait()
        return web.Response()

    hook.answer = lambda update: slowly() if update["callback_query"]["from"]["id"] == ann else web.Response()
    await far.call("setWebhook", url=hook.url)
    for who in (ann, ann, bob, bob):
        await far.post("press", as_=who, chat=group, text="a", wait=0)
    assert [u["callback_query"]["from"]["id"] for u in await hook.until(3)] == [ann, bob, bob]
    gate.set()
    await hook.until(4)


async def test_max_connections_bounds_what_is_under_way(far, hook):
    people = await cast(far, 3)
    gate, now, most = asyncio.Event(), 0, 0

    async def counted():
        nonlocal now, most
        now += 1
        most = max(most, now)
        await gate.wait()
        now -= 1
        return web.Response()

    hook.answer = lambda update: counted()
    await far.call("setWebhook", url=hook.url, max_connections=2)
    for who in people:
        await far.post("write", as_=who, text="x")
    await hook.until(2)
    assert far.playground.delivery.in_flight == 2
    gate.set()
    await hook.until(3)
    assert most == 2


async def test_an_update_comes_again_at_once_and_then_after_2_4_8_seconds(far, hook):
    ann, _ = await cast(far)
    hook.answer = lambda update: web.Response(status=500)
    await far.call("setWebhook", url=hook.url)
    await far.post("write", as_=ann, text="x")
    await hook.until(2)
    for count, pause in ((3, 2), (4, 4), (5, 8)):
        await next_pause(far)
        update = list(far.playground.bot.pending.values())[0]
        assert pause - 1 < update.not_before - far.playground.world.now() <= pause
        await far.post("clock", forward=pause)
        await hook.until(count)
    assert len({u["update_id"] for u in hook.got}) == 1
    info = await far.call("getWebhookInfo")
    assert (
        info["last_error_message"].startswith("Wrong response from the webhook: 500")
        and info["pending_update_count"] == 1
    )
    hook.answer = lambda update: web.Response()
    await next_pause(far)
    await far.post("clock", forward=16)
    await hook.until(6)
    await until_calm(far)


async def until(far, look):
    """Until *look* is so; it is looked at whenever anything happens."""
    look.impatient = True
    assert await far.playground.controls._until(look, 5)


async def next_pause(far):
    """Until the failed delivery is put back."""
    now = far.playground.world.now
    await until(
        far, lambda: all(u.state == "waiting" and u.not_before > now() for u in far.playground.bot.pending.values())
    )


async def test_retry_after_is_obeyed(far, hook):
    ann, _ = await cast(far)
    hook.answer = lambda update: web.Response(status=503, headers={"Retry-After": "600"})
    await far.call("setWebhook", url=hook.url)
    await far.post("write", as_=ann, text="x")
    await hook.until(1)
    await next_pause(far)
    (update,) = far.playground.bot.pending.values()
    assert 590 < update.not_before - far.playground.world.now() <= 600
    hook.answer = lambda update: web.Response()
    await far.post("clock", forward=601)
    await hook.until(2)


async def test_a_dead_webhook_is_tried_until_the_press_is_too_old(far, hook):
    ann, _ = await cast(far)
    await far.call(
        "sendMessage", chat_id=ann, text="x", reply_markup={"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]}
    )
    await far.call("setWebhook", url="http://127.0.0.1:9/hook")
    await far.post("press", as_=ann, text="a", wait=0)
    await far.post("write", as_=ann, text="y")
    await far.post("clock", forward=151)
    await far.call("setWebhook", url=hook.url)
    assert "message" in (await hook.until(1))[0]
    await until_calm(far)
    assert len(hook.got) == 1


async def test_the_answer_may_name_a_method(far, hook):
    ann, _ = await cast(far)
    hook.answer = lambda update: web.json_response({"method": "sendMessage", "chat_id": ann, "text": "from the body"})
    await far.call("setWebhook", url=hook.url)
    await far.post("write", as_=ann, text="x")
    await far.post("wait", chat="private", as_=ann, text="from the body")
    assert far.playground.calls[-1]["encoding"] == "webhook answer"


async def test_a_refused_method_in_the_body_is_told_to_nobody(far, hook):
    ann, _ = await cast(far)
    hook.answer = lambda update: web.json_response({"method": "sendMessage", "chat_id": ann, "text": ""})
    await far.call("setWebhook", url=hook.url)
    await far.post("write", as_=ann, text="x")
    await far.post("wait", call="sendMessage")
    await until_calm(far)
    assert len(hook.got) == 1 and not far.playground.calls[-1]["ok"]


async def test_questions_in_the_body_are_ignored(far, hook):
    ann, _ = await cast(far)
    hook.answer = lambda update: web.json_response({"method": "getMe"})
    await far.call("setWebhook", url=hook.url)
    before = len(far.playground.calls)
    await far.post("write", as_=ann, text="x")
    await hook.until(1)
    await until_calm(far)
    assert len(far.playground.calls) == before


async def test_allowed_updates_stay_until_they_are_changed(far):
    ann, _ = await cast(far)
    await far.call(
        "sendMessage", chat_id=ann, text="x", reply_markup={"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]}
    )
    await far.call("getUpdates", allowed_updates=["callback_query"])
    await far.post("write", as_=ann, text="x")
    await far.post("press", as_=ann, text="a", wait=0)
    assert ["callback_query" in u for u in await far.updates()] == [True]
    assert (await far.call("getWebhookInfo"))["allowed_updates"] == ["callback_query"]
    await far.call("getUpdates", allowed_updates=[])
    await far.post("write", as_=ann, text="x")
    assert ["message" in u for u in await far.updates()] == [True]


async def test_an_offset_confirms(far):
    ann, _ = await cast(far)
    for text in "abc":
        await far.post("write", as_=ann, text=text)
    updates = await far.call("getUpdates", limit=2)
    assert [u["message"]["text"] for u in updates] == ["a", "b"]
    assert [u["message"]["text"] for u in await far.call("getUpdates")] == ["a", "b", "c"]
    assert [u["message"]["text"] for u in await far.call("getUpdates", offset=updates[1]["update_id"])] == ["b", "c"]
    assert [u["message"]["text"] for u in await far.call("getUpdates", offset=-1)] == ["c"]
    assert await far.call("getUpdates", offset=updates[0]["update_id"] + 3) == []


async def test_a_long_poll_ends_with_the_news(far):
    ann, _ = await cast(far)
    poll = asyncio.create_task(far.call("getUpdates", timeout=30))
    await until(far, lambda: far.playground.bot.id in far.playground.delivery.polling)
    await far.post("write", as_=ann, text="news")
    assert [u["message"]["text"] for u in await asyncio.wait_for(poll, 5)] == ["news"]


async def test_only_one_may_poll_and_none_beside_a_webhook(far, hook):
    poll = asyncio.create_task(far.refused("getUpdates", timeout=30))
    await until(far, lambda: far.playground.bot.id in far.playground.delivery.polling)
    await far.call("getUpdates", timeout=0)
    assert await poll == (
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
    )
    poll = asyncio.create_task(far.refused("getUpdates", timeout=30))
    await until(far, lambda: far.playground.bot.id in far.playground.delivery.polling)
    await far.call("setWebhook", url=hook.url)
    assert await poll == "Conflict: terminated by setWebhook request"
    assert await far.refused("getUpdates") == (
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
    )
    await far.call("deleteWebhook")
    assert await far.call("getUpdates") == []


async def test_pending_updates_can_be_dropped(far, hook):
    ann, _ = await cast(far)
    await far.post("write", as_=ann, text="x")
    await far.call("deleteWebhook", drop_pending_updates=True)
    assert await far.updates() == []


async def test_an_update_can_be_repeated_doubled_and_made_up(far):
    ann, _ = await cast(far)
    await far.post("write", as_=ann, text="x")
    (update,) = await far.updates()
    await far.post(f"updates/{update['update_id']}/repeat")
    assert (await far.updates())[0] == update
    made = await far.post("updates", update={"brand_new_kind": {"a": 1}})
    assert await far.updates() == [{"update_id": made["update_id"], "brand_new_kind": {"a": 1}}]


async def test_updates_can_be_doubled_and_overtaken_on_their_way(far, hook):
    ann, _ = await cast(far)
    await far.post("settings", duplicate=1.0)
    await far.call("setWebhook", url=hook.url)
    await far.post("write", as_=ann, text="twice")
    assert len({u["update_id"] for u in await hook.until(2)}) == 1
    await far.post("settings", duplicate=0, delayed=1.0, delay=1000)
    await far.post("write", as_=ann, text="late")
    await far.post("settings", delayed=0)
    await far.post("write", as_=ann, text="soon")
    assert (await hook.until(3))[2]["message"]["text"] == "soon"
    await far.post("clock", forward=1000)
    assert (await hook.until(4))[3]["message"]["text"] == "late"


async def test_updates_can_be_held(far, hook):
    ann, _ = await cast(far)
    await far.call("setWebhook", url=hook.url)
    await far.post("updates/hold")
    await far.post("write", as_=ann, text="x")
    assert (await far.control("wait", idle=True, timeout=0.05))[0] == 408
    await far.post("updates/release")
    await hook.until(1)


async def test_after_a_week_updates_count_from_another_number(far):
    (ann,) = await cast(far, 1)
    jumped = await far.post("updates/jump")
    await far.post("write", as_=ann, text="x")
    assert [u["update_id"] for u in await far.updates()] == [jumped["next"]]
