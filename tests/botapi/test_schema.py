"""The checker itself: it must refuse what Telegram would silently ignore."""

import pytest

from tests.botapi.schema import check_call, schema

KEYBOARD = {"inline_keyboard": [[{"text": "Join", "callback_data": "j", "style": "success"}]]}
FITTING = [
    ("sendMessage", {"chat_id": 1, "text": "x", "reply_markup": KEYBOARD}),
    (
        "sendMessage",
        {
            "chat_id": "@name",
            "text": "x",
            "entities": [{"type": "date_time", "offset": 0, "length": 1, "unix_time": 5}],
        },
    ),
    (
        "sendMessage",
        {"chat_id": -1, "text": "x", "ephemeral_message_parameters": {"receiver_user_id": 5, "callback_query_id": "7"}},
    ),
    (
        "sendMessage",
        {"chat_id": 1, "text": "x", "reply_markup": {"inline_keyboard": [[{"text": "used", "disabled": {}}]]}},
    ),
    ("sendMessage", {"chat_id": 1, "text": "x", "reply_markup": {"force_reply": True}}),
    ("editEphemeralMessageText", {"chat_id": 1, "receiver_user_id": 2, "ephemeral_message_id": 3, "text": "x"}),
    (
        "setMyCommands",
        {
            "commands": [{"command": "a", "description": "b", "is_ephemeral": True}],
            "scope": {"type": "chat", "chat_id": 1},
        },
    ),
    ("setMessageReaction", {"chat_id": 1, "message_id": 2, "reaction": [{"type": "emoji", "emoji": "👍"}]}),
    ("setChatMenuButton", {"menu_button": {"type": "commands"}}),
    ("deleteMessages", {"chat_id": 1, "message_ids": [1, 2]}),
    ("getUpdates", {"allowed_updates": ["message"], "timeout": 5}),
    ("getMe", {}),
]
WRONG = [
    ("sendMesage", {}, "no method"),
    ("sendMessage", {"chat_id": 1}, "needs text"),
    ("sendMessage", {"chat_id": 1, "text": "x", "parsemode": "HTML"}, "no parameter parsemode"),
    (
        "sendMessage",
        {"chat_id": 1, "text": "x", "receiver_user_id": 5},
        "no parameter receiver_user_id",
    ),  # the 10.2 shape
    (
        "sendMessage",
        {"chat_id": 1, "text": "x", "ephemeral_message_parameters": {"callback_query_id": "7"}},
        "needs receiver_user_id",
    ),
    (
        "sendMessage",
        {"chat_id": 1, "text": "x", "reply_markup": {"inline_keyboard": [[{"text": "a", "callbackdata": "x"}]]}},
        "callbackdata",
    ),
    (
        "sendMessage",
        {"chat_id": 1, "text": "x", "reply_markup": {"inline_keyboard": [[{"text": "a"}]]}},
        "exactly one action",
    ),
    (
        "sendMessage",
        {
            "chat_id": 1,
            "text": "x",
            "reply_markup": {"inline_keyboard": [[{"text": "a", "url": "u", "callback_data": "x"}]]},
        },
        "exactly one action",
    ),
    ("sendMessage", {"chat_id": 1, "text": "x", "reply_markup": {"inline_keybord": []}}, "inline_keybord"),
    ("sendMessage", {"chat_id": 1, "text": "x", "entities": [{"type": "bold", "offset": 0, "lenght": 1}]}, "lenght"),
    ("sendMessage", {"chat_id": 1, "text": "x", "disable_notification": "true"}, "no Boolean"),
    ("sendMessage", {"chat_id": 1, "text": 5}, "no String"),
    ("sendMessage", {"chat_id": 1.5, "text": "x"}, "chat_id"),
    ("setMyCommands", {"commands": [{"command": "a", "descripton": "b"}]}, "descripton"),
    ("setMyCommands", {"commands": [], "scope": {"type": "everybody"}}, "scope"),
    ("setMessageReaction", {"chat_id": 1, "message_id": 2, "reaction": [{"type": "emoji", "emojo": "x"}]}, "emojo"),
    ("answerCallbackQuery", {"callback_query_id": 5}, "no String"),
]


@pytest.mark.parametrize(("method", "params"), FITTING, ids=lambda v: v if isinstance(v, str) else "")
def test_a_fitting_call_has_no_problems(method, params):
    assert check_call(method, params) == []


@pytest.mark.parametrize(("method", "params", "why"), WRONG, ids=lambda v: v if isinstance(v, str) else "")
def test_a_wrong_call_is_told_why(method, params, why):
    assert any(why in problem for problem in check_call(method, params))


def test_numbers_are_text_only_in_forms():
    params = {"chat_id": "5", "text": "x", "disable_notification": "true", "message_thread_id": "7"}
    assert check_call("sendMessage", params, form=True) == []
    assert len(check_call("sendMessage", params)) == 2  # chat_id may be text anyway


def test_objects_in_forms_are_json_and_looked_into():
    assert (
        check_call("sendMessage", {"chat_id": "5", "text": "x", "reply_markup": '{"inline_keyboard": []}'}, form=True)
        == []
    )
    assert check_call(
        "sendMessage", {"chat_id": "5", "text": "x", "reply_markup": '{"inline_keyboard": [], "rows": 1}'}, form=True
    )
    assert check_call("sendMessage", {"chat_id": "5", "text": "x", "reply_markup": "no json"}, form=True)
    assert check_call(
        "sendMessage",
        {"chat_id": "5", "text": "x", "ephemeral_message_parameters": '{"receiver_user_id": "5"}'},
        form=True,
    )


def test_the_schema_is_10_3():
    assert schema().version == "10.3"
    assert "editEphemeralMessageText".lower() in schema().methods
