"""The settings of a group: chosen by administrators, and what they are good for."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from db.store import Store
from telegram_bot import members, rulebook, settings
from telegram_bot.callback import Pressed
from tests.telegram_bot.camp import GROUP, Camp, Data, Reply, buttons, data_of, plain, said

FOUR = ("Ann", "Bob", "Cid", "Dan")


async def menu(camp: Camp, who: str = "Ann") -> Data:
    """/settings by an administrator: the call that shows the menu."""
    camp.far_end.administrators.add(camp.person(who)["id"])
    shown = await camp.write(who, "/settings")
    assert shown is not None
    return shown


def keyboard(shown: Data) -> dict[str, str]:
    markup = shown["reply_markup"]
    rows = (json.loads(markup) if isinstance(markup, str) else markup)["inline_keyboard"]
    return {one["text"]: one["callback_data"] for row in rows for one in row}


async def tap(camp: Camp, who: str, button: str, shown: Data | None = None) -> Reply:
    """Press a button of the menu as it was shown, or edited last."""
    return await camp.press_data(who, keyboard(shown or camp.far_end.edits[-1])[button])


async def choose(camp: Camp, *taps: str) -> None:
    shown: Data | None = await menu(camp)
    for button in taps:
        await tap(camp, "Ann", button, shown)
        shown = None


async def kept(camp: Camp) -> dict[str, Any]:
    chat = await camp.store.chat(GROUP)
    assert chat is not None
    return dict(chat.settings or {})


# --- the menu ---


async def test_only_an_administrator_opens_the_settings(camp: Camp) -> None:
    refused = await camp.write("Ann", "/settings")
    assert refused is not None and "Only an administrator" in refused["text"] and "reply_markup" not in refused
    shown = await menu(camp)
    assert "Settings of this group" in plain(shown["text"]) and "Pace: Day" in plain(shown["text"])


async def test_an_anonymous_administrator_opens_them_too(camp: Camp) -> None:
    anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    group = {"id": GROUP, "type": "supergroup", "title": "The camp"}
    shown = await camp.write(anonymous, "/settings", sender_chat=group)
    assert shown is not None and "Settings of this group" in plain(shown["text"])


async def test_every_setting_is_on_the_first_page_with_its_choice_and_a_button(camp: Camp) -> None:
    shown = await menu(camp)
    for setting in settings.TABLE:
        assert f"{setting.name}: {setting.label(setting.choices[0])}" in plain(shown["text"])
        assert setting.name in keyboard(shown)
    assert {"Time zone", "Options", "Done"} <= set(keyboard(shown))


@pytest.mark.parametrize("number", range(len(settings.TABLE)), ids=[setting.key for setting in settings.TABLE])
async def test_every_choice_of_every_setting_can_be_made_and_is_kept(camp: Camp, number: int) -> None:
    setting = settings.TABLE[number]
    await menu(camp)
    for at, choice in enumerate(setting.choices):
        await camp.press_data("Ann", str(Pressed("settings", 0, "choose", 0, 100 * number + at)))
        assert settings.value(await kept(camp), setting.key) == choice
        assert f"{setting.name}: {setting.label(choice)}" in plain(camp.far_end.edits[-1]["text"])


async def test_rights_are_looked_up_at_every_tap(camp: Camp) -> None:
    """failures.md 5.55: an administrator of yesterday uses the menu of yesterday."""
    shown = await menu(camp)
    assert said(await tap(camp, "Bob", "Pace", shown)) == "Only an administrator can change the settings."
    await tap(camp, "Ann", "Pace", shown)
    camp.far_end.administrators.clear()
    assert said(await tap(camp, "Ann", "○ Blitz")) == "Only an administrator can change the settings."
    assert await kept(camp) == {}


async def test_no_forged_tap_changes_or_breaks_anything(camp: Camp) -> None:
    await menu(camp)
    for what in ("open", "choose", "region", "set_zone", "option", "front", "nothing"):
        for number in (10**6, 10**9):
            assert said(await camp.press_data("Ann", str(Pressed("settings", 0, what, 0, number)))) == ""
    assert await kept(camp) == {}


async def test_a_zone_is_found_by_region_and_page(camp: Camp) -> None:
    await choose(camp, "Time zone", "America", "›")
    assert "America" in plain(camp.far_end.edits[-1]["text"])
    later = [name for name in keyboard(camp.far_end.edits[-1]) if name not in ("‹", "›", "‹ Back")]
    await tap(camp, "Ann", later[0])
    assert str((await kept(camp))["zone"]).startswith("America/")
    await choose(camp, "Time zone", "UTC")
    assert (await kept(camp))["zone"] == "UTC"


async def test_every_zone_can_be_chosen(camp: Camp) -> None:
    reached = set()
    for number, region in enumerate(settings.regions()):
        for page in range(len(settings.cities(region)) // settings.CITIES + 1):
            _, shown = settings.tap({}, Pressed("settings", 0, "region", 0, 100 * number + page))
            assert shown is not None
            for row in shown[1]:
                for _, does in row:
                    if ".set_zone." in does["callback_data"]:
                        reached.add(does["callback_data"])
    assert len(reached) == sum(len(settings.cities(region)) for region in settings.regions())


async def test_the_menu_closes_to_a_line(camp: Camp) -> None:
    await tap(camp, "Ann", "Done", await menu(camp))
    last = camp.far_end.edits[-1]
    assert "are kept" in plain(last["text"]) and "reply_markup" not in last


# --- what they are good for ---


async def test_a_new_lobby_begins_with_pace_and_options_of_the_group(camp: Camp) -> None:
    option = rulebook.OPTIONS[0]
    await choose(camp, "Pace", "○ Slow")
    await choose(camp, "Options", f"○ {option.name}")
    await camp.gather("Ann")
    game = await camp.game()
    assert game.pace == "slow" and option.is_on(game.options)
    assert option.name in plain((await camp.screen("lobby")).text)


async def test_the_board_is_pinned_unless_the_group_does_not_want_it(camp: Camp) -> None:
    await choose(camp, "Pin the board", "○ no")
    await camp.begin(*FOUR)
    assert (await camp.screen("board")).pin is False


async def test_no_bot_player_joins_where_the_group_wants_none(camp: Camp) -> None:
    await choose(camp, "Bot players", "○ not allowed")
    await camp.gather("Ann")
    assert "+ Bot player" not in buttons(await camp.screen("lobby"))
    assert "3 more are needed.\n" in plain((await camp.screen("lobby")).text) + "\n"
    old = str(Pressed("lobby", camp.game_id, "bot"))
    assert "switched off" in said(await camp.press_data("Ann", old)), "a button from before"
    assert len((await camp.game()).roster) == 1
    start = str(Pressed("lobby", camp.game_id, "start"))
    assert said(await camp.press_data("Ann", start)) == "It takes 4. 3 more must join."


async def test_no_bot_player_is_in_a_rematch_where_the_group_wants_none_by_now(camp: Camp) -> None:
    await camp.gather("Ann", "Bob", "Cid")
    await camp.press("Ann", "+ Bot player")
    await camp.press("Ann", "Start with 4")
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    await choose(camp, "Bot players", "○ not allowed")
    await camp.press("Bob", "Again, same people", "end")
    assert [row.name for row in (await camp.game()).roster] == ["Ann", "Bob", "Cid"]


async def test_a_bot_player_sits_in_for_who_is_away_whatever_fills_empty_seats(camp: Camp) -> None:
    await choose(camp, "Bot players", "○ not allowed")
    await camp.begin(*FOUR)
    await camp.write("Bob", "/leave")
    row = (await camp.game()).seat_of(camp.person("Bob")["id"])
    assert row is not None and row.played_by == "bot"


async def test_where_any_player_may_start_others_may_not(camp: Camp) -> None:
    await choose(camp, "Who may start", "○ any player")
    camp.far_end.administrators.clear()
    await camp.gather(*FOUR)
    assert "anyone in it can start it now" in plain((await camp.screen("lobby")).text)
    assert await camp.press("Eve", "Start with 4") == "Join first: then you may start it."
    refused = await camp.write("Eve", "/startgame")
    assert refused is not None and "Join first" in refused["text"]
    assert (await camp.game()).status == "lobby"
    await camp.press("Bob", "Start with 4")
    assert (await camp.game()).status == "playing"


async def test_a_lobby_is_called_off_by_its_opener_whoever_may_start_it(camp: Camp) -> None:
    await choose(camp, "Who may start", "○ any player")
    camp.far_end.administrators.clear()
    await camp.gather(*FOUR)
    assert plain(await camp.press("Bob", "Call it off")) == "Only Ann or an administrator can do that."
    assert await camp.press("Ann", "Call it off") == "Called off."


async def test_where_only_administrators_end_a_game_its_opener_needs_a_majority(camp: Camp) -> None:
    await choose(camp, "Who may end", "○ administrators only")
    camp.far_end.administrators.clear()
    await camp.begin(*FOUR)
    await camp.write("Ann", "/endgame")
    question = await camp.screen("ending")
    assert "1 of 3 are for it; an administrator can decide alone" in plain(question.text)
    await camp.write("Ann", "/pause")
    assert (await camp.game()).status == "playing"
    camp.far_end.administrators.add(camp.person("Bob")["id"])
    await camp.press_data("Bob", data_of(question, "End it"))
    assert (await camp.game()).status == "over"


async def test_its_opener_ends_it_alone_where_the_group_lets_the_opener(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.write("Ann", "/endgame")
    assert buttons(await camp.screen("ending")) == ["End it", "Play on"]
    await camp.press("Ann", "End it", "ending")
    assert (await camp.game()).status == "over"


async def test_who_dies_between_a_tap_and_the_new_deadlines_leaves_both_to_the_next(
    camp: Camp, monkeypatch: pytest.MonkeyPatch
) -> None:
    await menu(camp)
    taken: list[Data] = []
    reckoned: list[int] = []
    door, new_hours = camp.door, members.new_hours

    async def note(update: Data) -> Reply:
        taken.append(update)
        return await door(update)

    async def dies(store: Store, chat_id: int) -> None:
        raise asyncio.CancelledError

    async def reckons(store: Store, chat_id: int) -> None:
        reckoned.append(chat_id)
        await new_hours(store, chat_id)

    number = sorted(settings.zones()).index("Asia/Tokyo")
    monkeypatch.setattr(camp, "door", note)
    monkeypatch.setattr(members, "new_hours", dies)
    with pytest.raises(asyncio.CancelledError):
        await camp.press_data("Ann", str(Pressed("settings", 0, "set_zone", 0, number)))
    monkeypatch.setattr(members, "new_hours", reckons)
    for _ in range(2):  # Telegram comes again; and once more, for nothing
        await door(taken[-1])
    assert reckoned == [GROUP] and (await kept(camp))["zone"] == "Asia/Tokyo"
