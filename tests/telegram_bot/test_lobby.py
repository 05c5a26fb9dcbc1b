"""The lobby: who is in, who may change what, and how it becomes a game or ends."""

from __future__ import annotations

import pytest

from telegram_bot import rulebook
from tests.telegram_bot.camp import Camp, buttons, data_of, plain, said, user
from tests.telegram_bot.shown import HOSTILE, fits

FOUR = ("Ann", "Bob", "Cid", "Dan")
TWELVE = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Leo")


async def test_newgame_opens_a_lobby_with_its_writer_in_it(camp: Camp) -> None:
    assert await camp.write("Ann", "/newgame") is None
    lobby = await camp.screen("lobby")
    assert "Ann" in plain(lobby.text) and "1 of 12" in plain(lobby.text) and "3 more are needed" in plain(lobby.text)
    assert buttons(lobby) == ["Join / leave", "+ Bot player", "Options", "Pace", "Set a time", "Call it off"]


async def test_joining_needs_no_private_chat(camp: Camp) -> None:
    await camp.gather("Ann", "Bob", private=False)
    assert [row.name for row in (await camp.game()).roster] == ["Ann", "Bob"]


async def test_a_second_newgame_moves_the_open_lobby_down(camp: Camp) -> None:
    await camp.gather(*FOUR)
    before = (await camp.rows())["lobby", 0]
    game = camp.game_id
    await camp.write("Bob", "/newgame")
    after = (await camp.rows())["lobby", 0]
    assert camp.game_id == game and after.post == before.post + 1 and after.wanted == before.wanted


async def test_the_button_joins_and_leaves(camp: Camp) -> None:
    await camp.gather("Ann", "Bob")
    await camp.forward(3)
    assert await camp.press("Bob", "Join / leave") == "You are out."
    assert await camp.press("Bob", "Join / leave") == "You are in."


async def test_a_double_tap_on_join_counts_once(camp: Camp) -> None:
    await camp.write("Ann", "/newgame")
    join = data_of(await camp.screen("lobby"), "Join / leave")
    assert said(await camp.press_data("Bob", join)) == said(await camp.press_data("Bob", join)) == "You are in."
    assert len((await camp.game()).roster) == 2


async def test_the_commands_join_and_leave_do_the_same(camp: Camp) -> None:
    await camp.write("Ann", "/newgame")
    assert await camp.write("Bob", "/join") is None
    assert await camp.write("Bob", "/join") is None
    assert len((await camp.game()).roster) == 2
    assert await camp.write("Bob", "/leave") is None
    assert len((await camp.game()).roster) == 1


async def test_the_thirteenth_is_told_that_the_camp_is_full(camp: Camp) -> None:
    await camp.gather(*TWELVE, private=False)
    assert "12 is the most" in await camp.press("Max", "Join / leave")
    reply = await camp.write("Max", "/join")
    assert reply and "12 is the most" in reply["text"]
    assert len((await camp.game()).roster) == 12 and "+ Bot player" not in buttons(await camp.screen("lobby"))


async def test_the_thirteenth_is_told_of_bot_players_who_could_make_room(camp: Camp) -> None:
    await camp.gather(*TWELVE[:11], private=False)
    await camp.press("Ann", "+ Bot player")
    assert "Take a bot player out" in await camp.press("Max", "Join / leave")


async def test_bot_players_come_and_go(camp: Camp) -> None:
    await camp.gather("Ann", "Bob")
    await camp.press("Ann", "+ Bot player")
    await camp.press("Bob", "+ Bot player")
    names = [row.name for row in (await camp.game()).roster]
    assert len(set(names)) == 4 and "🤖" in (await camp.screen("lobby")).text
    assert "Start with 4" in buttons(await camp.screen("lobby"))
    await camp.press("Ann", "− Bot player")
    await camp.press("Ann", "− Bot player")
    assert "− Bot player" not in buttons(await camp.screen("lobby"))
    assert [row.name for row in (await camp.game()).roster] == ["Ann", "Bob"]


async def test_start_with_three_says_what_to_do(camp: Camp) -> None:
    await camp.gather("Ann", "Bob", "Cid")
    reply = await camp.write("Ann", "/startgame")
    assert reply and reply["text"] == "It takes 4. 1 more must join, or add a bot player."
    assert not any(text.startswith("Start") for text in buttons(await camp.screen("lobby")))


async def test_a_press_on_a_start_button_that_is_gone_starts_nothing(camp: Camp) -> None:
    await camp.gather(*FOUR)
    start = data_of(await camp.screen("lobby"), "Start with 4")
    await camp.write("Dan", "/leave")
    assert "It takes 4" in said(await camp.press_data("Ann", start))
    assert (await camp.game()).status == "lobby"


@pytest.mark.parametrize("button", ["Start with 4", "Call it off"])
async def test_only_the_opener_or_an_administrator_starts_or_calls_off(camp: Camp, button: str) -> None:
    await camp.gather(*FOUR)
    assert await camp.press("Bob", button) == "Only \u2068Ann\u2069 or an administrator can do that."
    assert (await camp.game()).status == "lobby"
    camp.far_end.administrators = {camp.person("Bob")["id"]}
    await camp.press("Bob", button)
    assert (await camp.game()).status != "lobby"


@pytest.mark.parametrize("command", ["/startgame", "/endgame"])
async def test_the_same_holds_for_the_commands(camp: Camp, command: str) -> None:
    await camp.gather(*FOUR)
    reply = await camp.write("Bob", command)
    assert reply and "Only" in reply["text"] and "Ann" in reply["text"]
    assert (await camp.game()).status == "lobby"
    await camp.write("Ann", command)
    assert (await camp.game()).status != "lobby"


async def test_who_is_no_administrator_any_more_starts_nothing(camp: Camp) -> None:
    await camp.gather(*FOUR)
    camp.far_end.administrators = {camp.person("Bob")["id"]}
    lobby = await camp.screen("lobby")
    camp.far_end.administrators = set()
    assert "Only" in said(await camp.press_data("Bob", data_of(lobby, "Call it off")))
    assert (await camp.game()).status == "lobby"


async def test_an_opener_who_left_may_still_start(camp: Camp) -> None:
    await camp.gather(*FOUR, "Eve")
    await camp.write("Ann", "/leave")
    assert "Ann can start it now" in plain((await camp.screen("lobby")).text)
    await camp.press("Ann", "Start with 4")
    assert (await camp.game()).status == "playing"


async def test_an_empty_lobby_waits_for_somebody(camp: Camp) -> None:
    await camp.write("Ann", "/newgame")
    await camp.write("Ann", "/leave")
    assert "Nobody yet" in (await camp.screen("lobby")).text
    await camp.press("Bob", "Join / leave")
    assert "Bob" in (await camp.screen("lobby")).text


async def test_a_called_off_lobby_leaves_the_place_free(camp: Camp) -> None:
    await camp.gather(*FOUR)
    old = await camp.screen("lobby")
    await camp.press("Ann", "Call it off")
    assert "called off by Ann" in plain((await camp.screen("lobby")).text)
    assert (
        said(await camp.press_data("Bob", data_of(old, "Join / leave"))) == "This lobby is closed. /newgame opens one."
    )
    first = camp.game_id
    await camp.write("Bob", "/newgame")
    assert camp.game_id != first


async def test_a_lobby_that_nobody_touches_for_a_day_closes(camp: Camp) -> None:
    await camp.gather("Ann", "Bob")
    await camp.forward(23 * 3600)
    await camp.press("Cid", "Join / leave")
    await camp.forward(23 * 3600)
    assert (await camp.game()).status == "lobby"
    await camp.forward(3600 + 1)
    assert (await camp.game()).status == "called_off"
    lobby = await camp.screen("lobby")
    assert "Nobody came for a day" in plain(lobby.text) and not lobby.rows


async def test_strangers_change_no_options(camp: Camp) -> None:
    await camp.gather(*FOUR)
    assert await camp.press("Eve", "Options") == "Join first: then you may change this."
    assert await camp.press("Eve", "+ Bot player") == "Join first: then you may change this."


@pytest.mark.parametrize("number", range(len(rulebook.OPTIONS)))
async def test_every_option_goes_on_and_off(camp: Camp, number: int) -> None:
    option = rulebook.OPTIONS[number]
    await camp.gather(*FOUR)
    await camp.press("Bob", "Options")
    page = plain((await camp.screen("lobby")).text)
    assert f"{option.name}: {option.short}" in page
    await camp.press("Bob", f"○ {option.name}")
    assert (await camp.game()).options == {option.key: option.on}
    await camp.press("Bob", "‹ Back")
    assert option.name in plain((await camp.screen("lobby")).text)
    await camp.press("Bob", "Options")
    await camp.press("Bob", f"● {option.name}")
    assert (await camp.game()).options == {}
    await camp.press("Bob", "‹ Back")
    assert "Classic rules." in plain((await camp.screen("lobby")).text)


async def test_a_double_tap_on_an_option_counts_once(camp: Camp) -> None:
    await camp.gather(*FOUR)
    await camp.press("Ann", "Options")
    name = rulebook.OPTIONS[0].name
    on = data_of(await camp.screen("lobby"), f"○ {name}")
    await camp.press_data("Ann", on)
    await camp.press_data("Bob", on)
    assert (await camp.game()).options == {"quarantine": "open"}


async def test_infected_cards_are_counted_up_and_down(camp: Camp) -> None:
    await camp.gather(*FOUR)
    await camp.press("Ann", "Options")
    await camp.press("Ann", "+ 1")
    await camp.press("Ann", "+ 1")
    assert (await camp.game()).options == {"infected_delta": 2}
    assert "Infected! +2" in buttons(await camp.screen("lobby"))
    for _ in range(3):
        await camp.press("Ann", "− 1")
    assert (await camp.game()).options == {"infected_delta": -1}
    assert "Infected! −1" in buttons(await camp.screen("lobby"))


async def test_options_that_cannot_be_played_say_why_and_start_nothing(camp: Camp) -> None:
    await camp.gather(*FOUR)
    await camp.press("Ann", "Options")
    for _ in range(8):
        await camp.press("Ann", "− 1")
    why = "⚠"
    assert why in (await camp.screen("lobby")).text
    await camp.press("Ann", "‹ Back")
    assert why in (await camp.screen("lobby")).text
    toast = await camp.press("Ann", "Start with 4")
    assert "Infected!" in toast and (await camp.game()).status == "lobby"
    reply = await camp.write("Ann", "/startgame")
    assert reply and reply["text"] and (await camp.game()).status == "lobby"


@pytest.mark.parametrize(
    ("button", "word"), [("Blitz", "blitz"), ("Evening", "evening"), ("Slow", "slow"), ("Day", "day")]
)
async def test_a_pace_is_chosen(camp: Camp, button: str, word: str) -> None:
    await camp.gather(*FOUR)
    await camp.press("Ann", "Pace")
    mark = "●" if word == "day" else "○"
    await camp.press("Ann", f"{mark} {button}")
    assert (await camp.game()).pace == word
    assert f"{button} pace:" in plain((await camp.screen("lobby")).text)


async def test_the_game_that_starts_has_the_options_and_the_pace(camp: Camp) -> None:
    await camp.gather(*FOUR)
    await camp.press("Ann", "Options")
    await camp.press("Ann", f"○ {rulebook.OPTIONS[6].name}")
    await camp.press("Ann", "‹ Back")
    await camp.press("Ann", "Pace")
    await camp.press("Ann", "○ Blitz")
    await camp.press("Ann", "Start with 4")
    game = await camp.game()
    assert game.status == "playing" and game.pace == "blitz"
    assert (await camp.step()).table.options.vengeance


async def test_the_started_lobby_keeps_no_buttons_and_a_late_press_says_so(camp: Camp) -> None:
    await camp.gather(*FOUR)
    old = await camp.screen("lobby")
    await camp.press("Ann", "Start with 4")
    assert not (await camp.screen("lobby")).rows
    for button in ("Join / leave", "Start with 4", "Options"):
        assert "has begun" in said(await camp.press_data("Eve", data_of(old, button)))
    reply = await camp.write("Ann", "/startgame")
    assert reply and "on already" in reply["text"]
    reply = await camp.write("Eve", "/join")
    assert reply and "begun without you" in reply["text"]


async def test_a_rematch_has_the_same_people_options_and_pace(camp: Camp) -> None:
    await camp.gather("Ann", "Bob", "Cid")
    await camp.press("Ann", "+ Bot player")
    await camp.press("Ann", "Options")
    await camp.press("Ann", f"○ {rulebook.OPTIONS[6].name}")
    await camp.press("Ann", "‹ Back")
    await camp.press("Ann", "Pace")
    await camp.press("Ann", "○ Evening")
    await camp.press("Ann", "Start with 4")
    await camp.write("Bob", "/leave")  # a bot player sits in, for that game only
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    before = await camp.game()
    await camp.press("Cid", "Again, same people", "end")
    game = await camp.game()
    assert game.id != before.id and game.status == "lobby" and game.opened_by == camp.person("Cid")["id"]
    assert [row.name for row in game.roster] == [row.name for row in before.roster]
    assert game.seat_of(camp.person("Bob")["id"]).played_by == "person"  # type: ignore[union-attr]
    assert game.options == {"vengeance": True} and game.pace == "evening"
    rematch = camp.game_id
    camp.game_id = before.id
    assert "already" in await camp.press("Bob", "Again, same people", "end")
    camp.game_id = rematch
    await camp.press("Cid", "Start with 4")
    assert (await camp.game()).status == "playing"


async def ended(camp: Camp) -> None:
    await camp.begin("Ann", "Bob", "Cid", "Dan")
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")


async def test_who_left_the_group_is_not_seated_in_a_rematch(camp: Camp) -> None:
    """Nobody waits a whole game long for somebody who is not here."""
    await camp.begin("Ann", "Bob", "Cid", "Dan")
    await camp.write("Dan", "...", left_chat_member=camp.person("Dan"))
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    await camp.press("Bob", "Again, same people", "end")
    assert [row.name for row in (await camp.game()).roster] == ["Ann", "Bob", "Cid"]


async def test_who_was_not_in_the_game_cannot_seat_its_people_again(camp: Camp) -> None:
    await ended(camp)
    before = camp.game_id
    assert "Only who played here" in await camp.press("Eve", "Again, same people", "end")
    assert camp.game_id == before


async def test_a_game_opened_by_an_administrator_who_is_nobody_names_nobody(camp: Camp) -> None:
    anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    sender = {"sender_chat": {"id": camp.place[0], "type": "supergroup", "title": "The camp"}}
    await camp.write(anonymous, "/newgame", **sender)
    for name in ("Ann", "Bob", "Cid", "Dan"):
        await camp.press(name, "Join / leave")
    assert await camp.press("Ann", "Start with 4") == "Only an administrator can do that."
    await camp.write(anonymous, "/startgame", **sender)
    await camp.write("Ann", "/endgame")
    assert "1 of 3 are for it; an administrator can decide alone" in plain((await camp.screen("ending")).text)


async def test_an_opener_who_was_left_behind_is_still_called_by_name(camp: Camp) -> None:
    await camp.gather("Eve", "Ann", "Bob", "Cid", "Dan")
    await camp.press("Eve", "Join / leave")
    await camp.press("Eve", "Start with 4")
    await camp.write("Ann", "/endgame")
    assert "Eve or an administrator can decide alone" in plain((await camp.screen("ending")).text)


async def test_an_anonymous_administrator_opens_starts_and_plays_not(camp: Camp) -> None:
    anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    sender = {"sender_chat": {"id": camp.place[0], "type": "supergroup", "title": "The camp"}}
    await camp.write(anonymous, "/newgame", **sender)
    assert not (await camp.game()).roster
    assert await camp.write(anonymous, "/join", **sender) is None
    assert not (await camp.game()).roster
    for name in FOUR:
        await camp.write(name, "/join")
    assert "an administrator can start it now" in plain((await camp.screen("lobby")).text).lower()
    reply = await camp.write("Ann", "/startgame")
    assert reply and "administrator" in reply["text"]
    await camp.write(anonymous, "/startgame", **sender)
    assert (await camp.game()).status == "playing"


async def test_nobody_passes_for_a_bot_player(camp: Camp) -> None:
    await camp.write(user(4711, "🤖 Arkham"), "/newgame")
    await camp.write(user(4712, "🤖"), "/join")
    assert [row.name for row in (await camp.game()).roster] == ["Arkham", "Nameless"]
    assert "🤖" not in (await camp.screen("lobby")).text


async def test_twelve_hostile_names_play_a_whole_turn_and_everything_fits(camp: Camp) -> None:
    people = [user(5000 + number, name) for number, name in enumerate(HOSTILE)]
    for person in people:
        await camp.write(person, "hello", private=True)
    await camp.write(people[0], "/newgame")
    for person in people[1:]:
        await camp.write(person, "/join")
    await camp.write(people[0], "/startgame")
    game = await camp.game()
    assert game.status == "playing" and len({row.name for row in game.roster}) == 12
    await camp.forward(150 * 60 + 1)
    await camp.write(people[0], "/leave")
    await camp.forward(150 * 60 + 1)
    await camp.write(people[3], "/endgame")
    for row in (await camp.rows()).values():
        fits(row.wanted)
    for person in people:
        reply = await camp.write(person, "/games", private=True)
        assert reply and reply["text"]


async def test_a_channel_that_writes_in_the_group_is_no_administrator(camp: Camp) -> None:
    await camp.gather(*FOUR)
    channel_bot = {"id": 136817688, "is_bot": True, "first_name": "Channel", "username": "Channel_Bot"}
    sender = {"sender_chat": {"id": -100777, "type": "channel", "title": "News"}}
    reply = await camp.write(channel_bot, "/startgame", **sender)
    assert reply and "Only" in reply["text"] and (await camp.game()).status == "lobby"
