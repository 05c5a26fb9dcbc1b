"""What is shown becomes what is wanted."""

from db.records import Button, Wanted
from telegram_bot.limits import Limits
from tests.sender.conftest import Camp


async def test_a_screen_is_sent_and_then_edited_in_place(camp: Camp) -> None:
    await camp.show("board", "the <b>camp</b>", rows=((Button("My hand", data="h"),),))
    await camp.sent()
    await camp.show("board", "the camp, turn 2")
    await camp.sent()
    assert camp.said() == ["sendMessage the <b>camp</b>", "editMessageText the camp, turn 2"]
    assert camp.seen() == ["the camp, turn 2"]


async def test_a_newer_board_replaces_the_one_that_was_not_sent(camp: Camp) -> None:
    for turn in range(20):
        await camp.show("board", f"turn {turn}")
    await camp.sent()
    assert camp.said() == ["sendMessage turn 19"]


async def test_what_is_wanted_again_unchanged_is_no_work(camp: Camp) -> None:
    await camp.show("board", "the camp")
    await camp.sent()
    await camp.show("board", "the camp")
    assert await camp.store.pending() == 0
    await camp.sent()
    assert camp.said() == ["sendMessage the camp"]


async def test_a_text_that_changed_and_changed_back_costs_no_call(camp: Camp) -> None:
    await camp.sender(Limits(burst=1))
    await camp.show("board", "the camp")
    await camp.sent()
    await camp.show("board", "the camp, on fire")
    await camp.show("board", "the camp")
    await camp.later(5)
    assert camp.said() == ["sendMessage the camp"]
    assert await camp.store.pending() == 0


async def test_screens_of_a_chat_appear_in_the_order_in_which_they_were_wanted(camp: Camp) -> None:
    async with camp.press() as unit:
        unit.show("turn 1", Wanted(text="one"))
        unit.show("board", Wanted(text="two"))
        unit.show("call", Wanted(text="three"))
    await camp.sent()
    assert camp.seen() == ["one", "two", "three"]


async def test_posted_anew_the_old_copy_loses_its_buttons(camp: Camp) -> None:
    rows = ((Button("My hand", data="h"),),)
    await camp.show("board", "the camp", rows=rows)
    await camp.sent()
    await camp.show("turn 1", "Ann reads the runes.")
    await camp.show("board", "the camp", rows=rows, anew=True)
    await camp.sent()
    await camp.later(5)
    assert camp.seen() == ["the camp", "Ann reads the runes.", "the camp"]
    old, _, new = (m for m in camp.group.live() if m.service is None)
    assert old.markup is None and new.markup is not None


async def test_posted_anew_the_old_copy_is_deleted_where_that_is_wanted(camp: Camp) -> None:
    camp.start(camp.ann)
    for _ in range(3):
        await camp.show("hand", "your hand", receiver=camp.ann.id, anew=True, old="delete", ring=True)
        await camp.sent()
        await camp.later(3)
    assert camp.seen(camp.private(camp.ann)) == ["your hand"]


async def test_what_is_taken_away_is_deleted(camp: Camp) -> None:
    await camp.show("call", "Bob, you are awaited.")
    await camp.sent()
    await camp.take_away("call")
    await camp.sent()
    assert camp.seen() == []
    assert await camp.store.pending() == 0


async def test_what_is_taken_away_before_it_was_sent_never_is(camp: Camp) -> None:
    await camp.show("call", "Bob, you are awaited.")
    await camp.take_away("call")
    await camp.sent()
    assert camp.said() == []


async def test_what_was_taken_away_can_come_back(camp: Camp) -> None:
    await camp.show("call", "Bob!")
    await camp.sent()
    await camp.take_away("call")
    await camp.sent()
    await camp.show("call", "Bob!")
    await camp.sent()
    assert camp.seen() == ["Bob!"]


async def test_a_posting_is_heard_only_when_it_should_be(camp: Camp) -> None:
    await camp.show("board", "quiet")
    await camp.show("call", "loud", ring=True)
    await camp.sent()
    quiet, loud = camp.calls("sendMessage")
    assert quiet["params"]["disable_notification"] is True
    assert "disable_notification" not in loud["params"]


async def test_the_board_is_pinned_and_let_go(camp: Camp) -> None:
    camp.world.set_member(camp.group, camp.telegram.bot.id, "administrator", camp.ann.id)
    await camp.show("board", "the camp", pin=True)
    await camp.sent()
    assert camp.group.pinned == [next(m.id for m in camp.group.live() if m.text == "the camp")]
    await camp.show("board", "the end", pin=False)
    await camp.later(2)
    assert camp.group.pinned == []


async def test_without_the_right_to_pin_everything_else_goes_on(camp: Camp) -> None:
    camp.group.permissions["can_pin_messages"] = False
    await camp.show("board", "the camp", pin=True)
    await camp.sent()
    await camp.show("board", "the camp, turn 2", pin=True)
    await camp.sent()
    assert camp.seen() == ["the camp, turn 2"]
    assert len(camp.calls("pinChatMessage")) == 1
    assert await camp.store.pending() == 0


async def test_the_hand_goes_to_the_private_chat_and_cannot_be_forwarded(camp: Camp) -> None:
    camp.start(camp.ann)
    await camp.show("hand", "Flamethrower", receiver=camp.ann.id, protect=True)
    await camp.sent()
    assert camp.seen() == []
    message = next(m for m in camp.private(camp.ann).live() if m.text == "Flamethrower")
    assert message.protected


async def test_a_topic_gets_its_own_screens(camp: Camp) -> None:
    forum = camp.world.add_group("Forum", people=[camp.ann], bots=[camp.telegram.bot], forum=True)
    topic = camp.world.add_topic(forum, "Games", camp.ann.id)
    in_topic, in_general = await camp.open_game(forum, topic.id), await camp.open_game(forum)
    await camp.show("board", "in the topic", game=in_topic)
    await camp.show("board", "in General", game=in_general)
    await camp.sent()
    threads = {m.text: m.thread_id for m in forum.live() if m.service is None}
    assert threads == {"in the topic": topic.id, "in General": 0}


async def test_a_screen_that_is_edited_while_it_is_being_sent_ends_as_the_newest(camp: Camp) -> None:
    camp.fault("slow_after", "sendMessage", seconds=0.05)
    sender = await camp.sender()
    await camp.show("board", "turn 1")
    while not sender._flying:
        await camp.show("unrelated", "nothing", receiver=camp.bob.id)
    await camp.show("board", "turn 2")
    await camp.sent()
    assert camp.seen() == ["turn 2"]
    assert await camp.store.pending() == 0


async def test_posted_anew_the_board_is_pinned_and_its_old_copy_is_not(camp: Camp) -> None:
    camp.world.set_member(camp.group, camp.telegram.bot.id, "administrator", camp.ann.id)
    await camp.show("board", "the camp", pin=True)
    await camp.sent()
    await camp.show("board", "the camp", pin=True, anew=True)
    for _ in range(4):
        await camp.later(2)
    assert [camp.group.messages[number].text for number in camp.group.pinned] == ["the camp"]
    assert camp.group.pinned == [max(m.id for m in camp.group.live() if m.text == "the camp")]
