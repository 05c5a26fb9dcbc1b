"""Limits, and what goes wrong on purpose."""

import asyncio

import aiohttp
import pytest


async def test_a_group_takes_twenty_sends_and_edits_a_minute(limited):
    far = limited
    await far.post("settings", chat_burst=100)
    group = await far.group(await far.person())
    sent = await far.call("sendMessage", chat_id=group, text="0")
    for n in range(19):
        await far.call("editMessageText", chat_id=group, message_id=sent["message_id"], text=str(n + 1))
    async with far.session.post(
        f"{far.url}/bot{far.token}/sendMessage", json={"chat_id": group, "text": "x"}
    ) as answer:
        body = await answer.json()
        wait = body["parameters"]["retry_after"]
        assert (answer.status, answer.headers["Retry-After"], body["error_code"]) == (429, str(wait), 429)
        assert body["description"] == f"Too Many Requests: retry after {wait}" and 50 < wait <= 60
    await far.post("clock", forward=wait)
    await far.call("sendMessage", chat_id=group, text="x")


async def test_a_full_group_holds_up_no_other_chat_and_no_answer(limited):
    far = limited
    await far.post("settings", chat_burst=100, group_per_minute=1)
    ann = await far.person(start=True)
    group, other = await far.group(ann), await far.group(ann, title="Other")
    await far.call(
        "sendMessage",
        chat_id=group,
        text="x",
        reply_markup={"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]},
    )
    assert "retry after" in await far.refused("sendMessage", chat_id=group, text="x")
    await far.call("sendMessage", chat_id=other, text="x")
    for _ in range(3):
        await far.call("sendMessage", chat_id=ann, text="x")
    query = (await far.post("press", as_=ann, chat=group, text="a", wait=0))["query"]
    assert await far.call("answerCallbackQuery", callback_query_id=query)


async def test_a_chat_takes_one_a_second_after_a_burst(limited):
    far = limited
    ann = await far.person(start=True)
    for n in range(5):
        await far.call("sendMessage", chat_id=ann, text=str(n))
    assert await far.refused("sendMessage", chat_id=ann, text="x") == "Too Many Requests: retry after 1"
    await far.post("clock", forward=1)
    await far.call("sendMessage", chat_id=ann, text="x")


async def test_thirty_a_second_over_all(limited):
    far = limited
    await far.post("settings", overall_per_second=3)
    people = [await far.person(f"P{n}", start=True) for n in range(4)]
    for who in people[:3]:
        await far.call("sendMessage", chat_id=who, text="x")
    assert "retry after 1" in await far.refused("sendMessage", chat_id=people[3], text="x")


async def test_limits_can_be_lifted(limited):
    far = limited
    ann = await far.person(start=True)
    await far.post("settings", limits=False)
    for n in range(50):
        await far.call("sendMessage", chat_id=ann, text=str(n))


async def test_what_is_refused_costs_nothing(limited):
    far = limited
    ann = await far.person(start=True)
    for _ in range(9):
        await far.refused("sendMessage", chat_id=ann, text="")
    await far.call("sendMessage", chat_id=ann, text="x")


async def test_a_call_can_be_refused_on_purpose(far):
    ann, bob = await far.person("Ann", start=True), await far.person("Bob", start=True)
    await far.post("faults", kind="429", method="send*", chat=ann, seconds=7, skip=1, times=2)
    await far.call("sendMessage", chat_id=ann, text="1")
    await far.call("sendMessage", chat_id=bob, text="1")
    status, body = await far.raw("sendMessage", chat_id=ann, text="2")
    assert (status, body["parameters"]) == (429, {"retry_after": 7})
    assert await far.refused("sendMessage", chat_id=ann, text="2") == "Too Many Requests: retry after 7"
    await far.call("sendMessage", chat_id=ann, text="2")
    assert (await far.get("faults"))["faults"][0]["done"] == 2
    await far.post("faults", kind="403", text="user is deactivated")
    assert await far.refused("sendMessage", chat_id=ann, text="3") == "Forbidden: user is deactivated"
    assert [m["text"] for m in await far.seen("private", ann)] == ["/start", "1", "2"]


async def test_a_gateway_may_answer_in_html(far):
    ann = await far.person(start=True)
    await far.post("faults", kind="502", method="sendMessage")
    async with far.session.post(f"{far.url}/bot{far.token}/sendMessage", json={"chat_id": ann, "text": "x"}) as answer:
        assert answer.status == 502 and answer.content_type == "text/html" and "Bad Gateway" in await answer.text()
    await far.post("faults", kind="500")
    assert await far.refused("sendMessage", chat_id=ann, text="x") == "Internal Server Error: restart"


@pytest.mark.parametrize(("kind", "seen"), [("reset_before", ["/start"]), ("reset_after", ["/start", "x"])])
async def test_the_connection_may_break_before_or_after_the_deed(far, kind, seen):
    ann = await far.person(start=True)
    await far.post("faults", kind=kind, method="sendMessage")
    with pytest.raises(aiohttp.ClientError):
        await far.raw("sendMessage", chat_id=ann, text="x")
    assert [m["text"] for m in await far.seen("private", ann)] == seen
    assert (await far.get("calls?method=sendMessage"))["calls"][-1]["fault"] == kind


async def test_an_answer_may_come_too_late(far):
    ann = await far.person(start=True)
    await far.post("faults", kind="slow_after", method="sendMessage", seconds=30)
    with pytest.raises(asyncio.TimeoutError):
        async with far.session.post(
            f"{far.url}/bot{far.token}/sendMessage",
            json={"chat_id": ann, "text": "x"},
            timeout=aiohttp.ClientTimeout(total=0.2),
        ):
            pass
    assert [m["text"] for m in await far.seen("private", ann)] == ["/start", "x"]


async def test_faults_can_be_drawn_and_taken_away(far):
    ann = await far.person(start=True)
    await far.post("faults", kind="500", share=0.5, times=0, seed=7)
    outcomes = [(await far.raw("sendMessage", chat_id=ann, text="x"))[0] for _ in range(40)]
    assert 5 < outcomes.count(500) < 35
    await far.post("faults/clear")
    await far.call("sendMessage", chat_id=ann, text="x")
    status, answer = await far.control("faults", kind="earthquake")
    assert status == 400 and "kind is one of" in answer["error"]


async def test_a_call_that_does_not_fit_the_schema_is_refused_and_kept(far):
    ann = await far.person(start=True)
    description = await far.refused("sendMessage", chat_id=ann, txt="x")
    assert description == "Bad Request: schema: sendMessage has no parameter txt; sendMessage needs text"
    assert (await far.get("violations"))["violations"][0]["method"] == "sendMessage"
    far.playground.record.violations.clear()
