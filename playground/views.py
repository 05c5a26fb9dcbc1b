"""How the world looks to a person: chats and messages for the control API and the page."""

from __future__ import annotations

from typing import Any

from playground.things import GENERAL, Bot, Chat, Message, User
from playground.world import World


def person(user: User) -> dict[str, Any]:
    """Somebody."""
    return {
        "id": user.id,
        "name": user.name,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "username": user.username,
        "language": user.language_code,
        "is_bot": user.is_bot,
        "deleted": user.deleted,
        "offline": user.offline,
    }


def bot(world: World, bot: Bot, polling: bool = False) -> dict[str, Any]:
    """A bot, and how its updates go."""
    return person(world.users[bot.id]) | {
        "privacy": bot.privacy,
        "webhook": bot.webhook.url,
        "polling": polling,
        "pending": len(bot.pending),
        "last_error": bot.webhook.last_error_message,
        "allowed_updates": bot.allowed_updates,
        "description": bot.descriptions.get("", ""),
    }


def chat(world: World, chat: Chat) -> dict[str, Any]:
    """A chat, without its messages."""
    view: dict[str, Any] = {"id": chat.id, "kind": chat.kind, "seq": chat.seq, "pinned": list(chat.pinned)}
    if chat.is_private:
        return view | {
            "title": world.users[chat.user_id].name,
            "person": chat.user_id,
            "bot": chat.bot_id,
            "started": chat.started,
            "blocked": chat.blocked,
            "description": world.bots[chat.bot_id].descriptions.get("", ""),
        }
    view |= {
        "title": chat.title,
        "username": chat.username,
        "is_forum": chat.is_forum,
        "migrated_to": chat.migrated_to,
        "gone": chat.gone,
        "migrated_from": chat.migrated_from,
        "permissions": chat.permissions,
    }
    view["members"] = [
        {
            "id": m.user_id,
            "name": world.users[m.user_id].name,
            "status": m.status,
            "is_bot": world.users[m.user_id].is_bot,
            "anonymous": m.anonymous,
            "notify": m.notify,
            "rights": m.rights if m.is_admin else {},
            "permissions": m.permissions,
        }
        for m in (world.member(chat, i) for i in list(chat.members))
        if m.present or m.status == "kicked"
    ]
    view["topics"] = [vars(t) for t in chat.topics.values() if not t.deleted]
    return view


def buttons(markup: dict[str, Any] | None) -> list[list[dict[str, Any]]]:
    """The rows of an inline keyboard, each button with its kind and what it holds."""
    rows = []
    for row in (markup or {}).get("inline_keyboard", ()):
        views = []
        for button in row:
            kind = next(k for k in button if k not in ("text", "style", "icon_custom_emoji_id"))
            name = {"callback_data": "data", "copy_text": "copy"}.get(kind, kind)
            value = button[kind]["text"] if kind == "copy_text" else button[kind]
            views.append(
                {"text": button["text"], "kind": name, name: value}
                | ({"style": button["style"]} if "style" in button else {})
            )
        rows.append(views)
    return rows


def message(world: World, chat: Chat, m: Message, viewer: User | None = None) -> dict[str, Any]:
    """A message as *viewer* sees it; as the chat keeps it, without one."""
    sender = world.users[m.sender_id]
    view: dict[str, Any] = {
        "id": m.id,
        "chat": chat.id,
        "seq": m.seq,
        "order": m.order,
        "date": m.date,
        "from": {
            "id": sender.id,
            "name": chat.title if m.sender_chat_id else sender.name,
            "is_bot": sender.is_bot,
            "username": sender.username,
        },
        "text": m.text,
        "entities": _entities(world, m),
        "buttons": buttons(m.markup),
        "pinned": m.id in chat.pinned and m.id > 0,
        "edited": m.edits > 0,
        "edits": m.edits,
        "edit_date": m.edit_date,
        "thread": m.thread_id if m.is_topic else 0,
        "reply_to": m.reply_to,
        "protected": m.protected,
        "silent": m.silent,
        "rang": [{"person": r.user_id, "why": r.why, "sound": r.sound} for r in m.rings],
    }
    if m.ephemeral_id:
        view |= {"ephemeral": m.ephemeral_id, "to": m.receiver_id, "lost": m.lost, "replaces": m.replaces}
    if m.reply_markup:
        view["reply_markup"] = m.reply_markup
    if m.photo:
        view["photo"] = f"/control/files/{m.photo}"
    if m.reactions:
        view["reactions"] = [{"person": who, "emoji": e} for who, emoji in m.reactions.items() for e in emoji]
    if m.service is not None:
        view["service"] = service(world, chat, m)
    if m.deleted:
        view["deleted"] = True
    if viewer is not None:
        view["mine"] = m.sender_id == viewer.id
        view["mentions_me"] = viewer.id in world.mentioned(chat, m)
        view["rang_me"] = any(r.user_id == viewer.id and r.sound for r in m.rings)
    return view


def _entities(world: World, m: Message) -> list[dict[str, Any]]:
    return [{**e, "name": world.users[e["user_id"]].name} if e["type"] == "text_mention" else e for e in m.entities]


def service(world: World, chat: Chat, m: Message) -> str:
    """The grey line that a service message is."""
    assert m.service is not None
    who = world.users[m.sender_id].name
    ((kind, value),) = m.service.items()
    if kind == "new_chat_members":
        return (
            f"{who} joined the group"
            if value == [m.sender_id]
            else f"{who} added {', '.join(world.users[i].name for i in value)}"
        )
    if kind == "left_chat_member":
        return f"{who} left the group" if value == m.sender_id else f"{who} removed {world.users[value].name}"
    if kind == "pinned_message":
        pinned = chat.messages.get(value)
        words = " ".join(pinned.text.split()) if pinned and not pinned.deleted else "a message"
        return f"{who} pinned “{words[:30]}{'…' if len(words) > 30 else ''}”"
    if kind == "forum_topic_created":
        return f"{who} created the topic “{value['name']}”"
    return {
        "group_chat_created": f"{who} created the group “{chat.title}”",
        "supergroup_chat_created": f"{who} created the group “{chat.title}”",
        "migrate_to_chat_id": "The group became a supergroup",
        "migrate_from_chat_id": "The group became a supergroup",
        "forum_topic_closed": f"{who} closed the topic",
        "forum_topic_reopened": f"{who} reopened the topic",
    }.get(kind, kind.replace("_", " "))


def visible(
    world: World, chat: Chat, viewer: User | None, thread: int | None = None, only: tuple[int, int] | None = None
) -> list[Message]:
    """The messages that *viewer* sees, in their order; with nobody, all that are there.

    *thread*: of one topic; *only*: the message of that id, or that ephemeral id.
    """
    mine = [
        m
        for m in chat.ephemeral.values()
        if world.ephemeral(chat, m.ephemeral_id)
        and (viewer is None or (viewer.id in (m.receiver_id, m.sender_id) and not m.lost))
    ]
    replaced = {m.replaces for m in mine if m.replaces and viewer is not None}
    if only is not None:
        number, ephemeral = only
        public = chat.messages.get(number)
        shown = [m for m in mine if ephemeral and m.ephemeral_id == ephemeral]
        if public is not None and not public.deleted and not ephemeral:
            shown.append(public)
    else:
        shown = [*mine, *chat.live()]
    shown = [m for m in shown if not m.id or m.id not in replaced]
    if thread is not None:
        shown = [m for m in shown if (m.thread_id if m.is_topic else GENERAL) == (thread or GENERAL)]

    def place(m: Message) -> int:
        original = chat.messages.get(m.replaces) if m.replaces else None
        return original.order if original else m.order

    return sorted(shown, key=place)
