"""The control API and the page: regular, honest about mistakes, closed to other pages, and it survives its own end."""

import asyncio
import json
import re
import sys
import types
from pathlib import Path

import aiohttp
import pytest

import playground
from playground import Playground, control
from playground.world import World

ROOT = Path(__file__).parents[2]


async def test_it_says_when_it_is_ready(far):
    ready = await far.get("ready")
    assert ready["ready"] and ready["bot"]["username"] == "stay_away_bot" and "sendMessage" in ready["methods"]


async def test_a_mistake_is_said_in_a_sentence(far):
    ann = await far.person("Ann")
    for path, body, status, word in (
        ("write", {"as_": "Nobody", "text": "x"}, 404, "nobody"),
        ("write", {"as_": ann, "txt": "x"}, 400, "no field txt"),
        ("write", {"as_": ann, "chat": "Nowhere", "text": "x"}, 404, "no chat"),
        ("write", {"text": "x"}, 400, "who"),
        ("people", {}, 400, "name"),
        ("nonsense", {}, 404, "address"),
        ("write", {"as_": ann, "text": " "}, 400, "empty"),
        ("groups", {"title": "x", "kind": "club"}, 400, "kind"),
        ("clock", {"forward": "soon"}, 400, "seconds"),
        ("settings", {"speed": 3}, 400, "no setting"),
        ("press", {"as_": ann}, 404, "not there"),
    ):
        got, answer = await far.control(path, **body)
        assert got == status and word in answer["error"], (path, body, answer)


async def test_people_can_be_named_by_id_username_or_name(far):
    ann = await far.person("Ann", last_name="Lee", username="annlee")
    for ref in (ann, str(ann), "@AnnLee", "Ann Lee", "Ann"):
        assert (await far.post(f"people/{ref}"))["id"] == ann
    assert (await far.control("people", name="Eve", username="annlee"))[0] == 409


async def test_a_script_needs_no_sleeps(far):
    ann = await far.person("Ann", start=True)
    seq = (await far.get("state"))["seq"]
    waits = {
        "text": far.post("wait", chat="private", as_=ann, text="turn", since=seq),
        "regex": far.post("wait", chat="private", as_=ann, regex=r"^Your \w+", since=seq),
        "button": far.post("wait", chat="private", as_=ann, button="Axe"),
        "bot": far.post("wait", chat="private", as_=ann, from_bot=True),
        "call": far.post("wait", call="sendmessage"),
        "news": far.post("wait", since=seq),
    }
    tasks = {name: asyncio.create_task(wait) for name, wait in waits.items()}
    await far.call(
        "sendMessage",
        chat_id=ann,
        text="Your turn",
        reply_markup={"inline_keyboard": [[{"text": "Axe", "callback_data": "a"}]]},
    )
    for name, task in tasks.items():
        result = await asyncio.wait_for(task, 5)
        if name in ("text", "regex", "button", "bot"):
            assert result["message"]["text"] == "Your turn"


async def test_waiting_for_an_edit_and_for_an_end(far):
    ann = await far.person("Ann", start=True)
    sent = await far.call("sendMessage", chat_id=ann, text="one")
    number, seq = sent["message_id"], (await far.get("state"))["seq"]
    assert (await far.control("wait", chat="private", as_=ann, message=number, since=seq, timeout=0.02))[0] == 408
    edit = asyncio.create_task(far.post("wait", chat="private", as_=ann, message=number, since=seq))
    await far.call("editMessageText", chat_id=ann, message_id=number, text="two")
    assert (await edit)["message"]["text"] == "two"
    gone = asyncio.create_task(far.post("wait", chat="private", as_=ann, gone=number))
    await far.call("deleteMessage", chat_id=ann, message_id=number)
    assert (await gone)["gone"] == number


async def test_waiting_in_vain_says_what_was_there(far):
    ann = await far.person("Ann", start=True)
    status, answer = await far.control("wait", chat="private", as_=ann, text="never", timeout=0.02)
    assert status == 408 and answer["last"] == ["/start"]


async def test_waiting_for_an_alert(far):
    ann = await far.person("Ann", start=True)
    await far.call(
        "sendMessage", chat_id=ann, text="x", reply_markup={"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]}
    )
    query = (await far.post("press", as_=ann, text="a", wait=0))["query"]
    alert = asyncio.create_task(far.post("wait", as_=ann, alert=True))
    await far.call("answerCallbackQuery", callback_query_id=query, text="boo", show_alert=True)
    assert (await alert)["alert"]["text"] == "boo"


async def test_changes_can_be_read_by_themselves(far):
    ann = await far.person("Ann", start=True)
    one = await far.call("sendMessage", chat_id=ann, text="one")
    two = await far.call("sendMessage", chat_id=ann, text="two")
    seq = (await far.get("state"))["seq"]
    await far.call("editMessageText", chat_id=ann, message_id=one["message_id"], text="uno")
    await far.call("deleteMessage", chat_id=ann, message_id=two["message_id"])
    changed = await far.get(f"people/{ann}/private?since={seq}")
    assert [m["text"] for m in changed["messages"]] == ["uno"] and [g["id"] for g in changed["gone"]] == [
        two["message_id"]
    ]


async def test_nobody_reads_what_is_not_theirs(far):
    ann, bob = await far.person("Ann", start=True), await far.person("Bob")
    group = await far.group(ann)
    assert (await far.session.get(f"{far.url}/control/chats/{group}/messages?as={bob}")).status == 403
    assert (await far.session.get(f"{far.url}/control/chats/{ann}/messages?as={bob}")).status == 403


async def test_the_record_tells_calls_and_deliveries_in_order(far):
    ann = await far.person("Ann", start=True)
    await far.call("sendMessage", chat_id=ann, text="x")
    await far.refused("sendMessage", chat_id=ann, text="")
    calls = (await far.get(f"calls?method=sendMessage&chat={ann}"))["calls"]
    assert [(c["ok"], c["params"]["text"], c["encoding"]) for c in calls] == [(True, "x", "json"), (False, "", "json")]
    assert calls[0]["result"]["text"] == "x" and calls[1]["description"] == "Bad Request: message text is empty"
    assert len((await far.get("calls?errors=1"))["calls"]) == 1
    assert [e["n"] for e in (await far.get(f"traffic?after={calls[0]['n']}"))["traffic"]] == [calls[1]["n"]]


async def test_the_clock_moves_telegram_and_the_bot_together(far, monkeypatch):
    moved = []
    fake = types.ModuleType("db.clock")
    fake.move = lambda url, seconds: moved.append((url, seconds))
    import db

    monkeypatch.setitem(sys.modules, "db.clock", fake)
    monkeypatch.setattr(db, "clock", fake, raising=False)
    answer = await far.post("clock", forward=60)
    assert answer["bot_clock_moved"] is False and "no database" in answer["why"]
    far.playground.database_url = "postgresql://x"
    answer = await far.post("clock", forward=60)
    assert answer["bot_clock_moved"] and moved == [("postgresql://x", 60.0)] and answer["offset"] == 120

    def broken(url, seconds):
        raise OSError("the database is away")

    fake.move = broken
    status, answer = await far.control("clock", forward=60)
    assert status == 503 and "the database is away" in answer["error"]
    assert (await far.get("clock"))["offset"] == 120


async def test_a_foreign_page_cannot_drive_it(far):
    async def status(**headers):
        async with far.session.post(f"{far.url}/control/reset", json={}, headers=headers) as answer:
            return answer.status

    assert await status(Origin="https://evil.example") == 403
    assert await status(Origin="null") == 403
    assert await status(Host="evil.example:80") == 403
    assert await status(Origin=far.url) == 200
    assert await status() == 200


async def test_reset_begins_anew_but_keeps_the_bot(far, hook):
    ann = await far.person("Ann", start=True)
    await far.updates()
    await far.call("setWebhook", url=hook.url)
    state = await far.post("reset")
    assert state["people"] == [] and state["bots"][0]["webhook"] == hook.url
    again = await far.person("Ann", start=True)
    assert (await hook.until(1))[0]["message"]["from"]["id"] == again
    assert (await far.get("calls"))["calls"] == []
    assert await far.refused("sendMessage", chat_id=ann + 10**6, text="x") == "Bad Request: chat not found"


async def test_events_are_streamed(far):
    async with far.session.get(f"{far.url}/control/events") as stream:
        hello = [await stream.content.readline() for _ in range(4)]
        assert hello[1] == b"event: hello\n" and b"seq" in hello[2]
        ann = await far.person("Ann")
        event = json.loads((await stream.content.readline()).removeprefix(b"data: "))
        assert (event["kind"], event["person"]) == ("person", ann)


async def test_ids_are_never_those_of_an_older_playground():
    young, old = World(clock=lambda: 2_000_000_001.0), World(clock=lambda: 2_000_000_000.0)
    for world in (young, old):
        world.add_bot("1000:TEST")
    assert young.bot.next_update > old.bot.next_update
    assert young.add_person("Ann").id > old.add_person("Ann").id
    assert young.add_group("x").id < old.add_group("x").id


async def test_a_seeded_world_has_a_group_with_the_bot():
    async with Playground(seed_group=True, database_url="") as telegram, aiohttp.ClientSession() as session:
        async with session.get(telegram.url + "/control/state") as answer:
            state = await answer.json()
    (group,) = [c for c in state["chats"] if c["kind"] != "private"]
    assert len(state["people"]) == 4 and [m["status"] for m in group["members"] if m["is_bot"]] == ["administrator"]


async def test_the_world_survives_in_a_file(tmp_path):
    file = tmp_path / "deep" / "world.json"

    async def control_(session, telegram, path, **body):
        async with session.post(f"{telegram.url}/control/{path}", json=body) as answer:
            assert answer.status == 200, await answer.text()
            return await answer.json()

    async def bot(session, telegram, method, **params):
        async with session.post(f"{telegram.url}/bot{telegram.bot.token}/{method}", json=params) as answer:
            return await answer.json()

    async with aiohttp.ClientSession() as session:
        async with Playground(state=file, database_url="", seed_group=True) as telegram:
            group = next(c.id for c in telegram.world.chats.values() if not c.is_private)
            ann = telegram.world.people()[0].id
            await control_(session, telegram, f"people/{ann}/start")
            await control_(session, telegram, "write", **{"as": ann, "chat": group, "text": "/newgame"})
            sent = (
                await bot(
                    session,
                    telegram,
                    "sendMessage",
                    chat_id=group,
                    text="lobby",
                    reply_markup={"inline_keyboard": [[{"text": "Join", "callback_data": "j"}]]},
                )
            )["result"]
            await bot(
                session,
                telegram,
                "pinChatMessage",
                chat_id=group,
                message_id=sent["message_id"],
                disable_notification=True,
            )
            await control_(session, telegram, "clock", forward=3600)
            pending, ids = len(telegram.bot.pending), [u.id for u in telegram.bot.pending.values()]
        async with Playground(state=file, database_url="", seed_group=True, token="1000:OTHER") as telegram:
            assert telegram.bot.token == "1000:OTHER" and len(telegram.world.bots) == 1
            assert telegram.world.offset == 3600 and len(telegram.world.people()) == 4
            assert [u.id for u in telegram.bot.pending.values()] == ids and len(ids) == pending
            edited = await bot(
                session, telegram, "editMessageText", chat_id=group, message_id=sent["message_id"], text="still here"
            )
            assert edited["ok"] and edited["result"]["message_id"] == sent["message_id"]
            assert telegram.world.chats[group].pinned == [sent["message_id"]]
            assert (await bot(session, telegram, "sendMessage", chat_id=ann, text="and you"))["ok"]
            assert telegram.bot.next_update > max(ids)


async def test_an_unreadable_state_file_is_put_aside(tmp_path, capsys):
    file = tmp_path / "world.json"
    file.write_text("{half a")
    async with Playground(state=file, database_url="") as telegram:
        assert telegram.world.people() == []
    assert (
        tmp_path / "world.json.unreadable"
    ).read_text() == "{half a" and "could not be read" in capsys.readouterr().out


async def test_the_page_asks_nobody_outside(far):
    async with far.session.get(far.url + "/") as answer:
        page, policy = await answer.text(), answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    names = re.findall(r'(?:src|href)="/([^"]+)"', page)
    assert {"style.css", "page.js", "icon.svg"} <= set(names) and "<script>" not in page and "style=" not in page
    for name in set(names):
        async with far.session.get(f"{far.url}/{name}") as answer:
            assert answer.status == 200
            words = (await answer.text()).replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"https?://(?!\$)[\w-]+\.", words), name
            assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", words), name
    async with far.session.get(far.url + "/..%2fserver.py") as answer:
        assert answer.status == 404


def test_the_manual_names_every_address():
    manual = (ROOT / "docs" / "playground.md").read_text("utf-8")
    missing = [f"{verb} {path}" for verb, path, _ in control.ROUTES if path.removeprefix("/control/") not in manual]
    assert missing == []


def test_the_playground_imports_nothing_of_the_game():
    for file in Path(playground.__file__).parent.rglob("*.py"):
        imports = re.findall(r"^\s*(?:from|import) (\w+)", file.read_text("utf-8"), re.MULTILINE)
        assert not {"core", "telegram_bot"} & set(imports), file.name
        assert set(imports) <= {*sys.stdlib_module_names, "playground", "starlette", "uvicorn", "aiohttp", "db"}, (
            file.name
        )
        assert "db" not in imports or file.name == "whole.py"


@pytest.mark.parametrize(
    "option",
    [[], ["--check-schema", str(ROOT / "tests/botapi/botapi-schema-10.3.json"), "--no-limits", "--no-seed-group"]],
)
async def test_it_runs_as_a_program(option):
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "playground", "--port", "0", *option, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    try:
        line = (await asyncio.wait_for(program.stdout.readline(), 20)).decode()
        url = re.search(r"http://\S+", line)[0]
        async with aiohttp.ClientSession() as session, session.get(url + "control/ready") as answer:
            assert (await answer.json())["ready"]
    finally:
        program.terminate()
        assert await asyncio.wait_for(program.wait(), 10) == 0
