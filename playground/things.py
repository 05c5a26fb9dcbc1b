"""What there is: users, groups, messages, presses, updates, bots. Plain data; world/ says what they do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

EPOCH = 1_767_225_600  # 2026-01-01: new ids grow from here, see World.base
ANONYMOUS = 1087968824  # GroupAnonymousBot: field/telegram.md 1.3
GENERAL = 1  # the thread of a forum's first topic
HOURS_24 = 24 * 3600

# Right after an administrator is made by hand in an app; can_be_edited is about the viewer.
RIGHTS = tuple(
    """
    can_manage_chat can_delete_messages can_manage_video_chats can_restrict_members can_promote_members
    can_change_info can_invite_users can_post_stories can_edit_stories can_delete_stories can_pin_messages
    can_manage_topics can_manage_tags can_send_welcome_messages
    """.split()
)
USUAL_RIGHTS = dict.fromkeys(
    """
    can_manage_chat can_delete_messages can_restrict_members can_change_info can_invite_users can_pin_messages
    can_manage_topics can_manage_video_chats
    """.split(),
    True,
)
PERMISSIONS = tuple(
    """
    can_send_messages can_send_audios can_send_documents can_send_photos can_send_videos can_send_video_notes
    can_send_voice_notes can_send_polls can_send_other_messages can_add_web_page_previews can_react_to_messages
    can_edit_tag can_change_info can_invite_users can_pin_messages can_manage_topics
    """.split()
)
USUAL_PERMISSIONS = {
    name: name not in ("can_change_info", "can_pin_messages", "can_manage_topics") for name in PERMISSIONS
}

# What a bot gets that did not say what it wants: field/telegram.md 1.3.
NOT_BY_DEFAULT = ("chat_member", "message_reaction", "message_reaction_count")
UPDATE_KINDS = tuple(
    """
    message edited_message channel_post edited_channel_post business_connection business_message
    edited_business_message deleted_business_messages guest_message message_reaction message_reaction_count
    inline_query chosen_inline_result callback_query shipping_query pre_checkout_query purchased_paid_media poll
    poll_answer my_chat_member chat_member chat_join_request chat_boost removed_chat_boost managed_bot
    subscription stopped_message_generation
    """.split()
)
LIFETIMES = {"callback_query": 150}  # else 24 hours: field/telegram.md 1.1, updates kept


@dataclass
class User:
    """A person, or a bot."""

    id: int
    first_name: str
    last_name: str = ""
    username: str = ""
    language_code: str = "en"
    is_bot: bool = False
    deleted: bool = False
    offline: bool = False  # ephemeral messages do not arrive: field/telegram.md 1.5

    @property
    def name(self) -> str:
        """First and last name, as people see it."""
        return "Deleted Account" if self.deleted else f"{self.first_name} {self.last_name}".strip()


@dataclass
class Member:
    """How somebody stands in a group."""

    user_id: int
    status: str = "member"  # creator, administrator, member, restricted, left, kicked
    rights: dict[str, bool] = field(default_factory=dict)
    permissions: dict[str, bool] = field(default_factory=dict)
    until: int = 0
    anonymous: bool = False
    title: str = ""
    notify: str = "mentions"  # "all": every message rings; "mentions": only what calls the person; "none"

    @property
    def present(self) -> bool:
        """Whether they are in the group."""
        return self.status in ("creator", "administrator", "member", "restricted")

    @property
    def is_admin(self) -> bool:
        """Whether they may do more than others."""
        return self.status in ("creator", "administrator")


@dataclass
class Topic:
    """A topic of a forum; its id is the id of the service message that opened it."""

    id: int
    name: str
    icon_color: int = 7322096
    closed: bool = False
    deleted: bool = False


@dataclass
class Ring:
    """A sound that somebody's phone made, or a quiet notification."""

    user_id: int
    why: str  # private, mention, reply, pin, group
    sound: bool = True


@dataclass
class Message:
    """A message, as the chat keeps it."""

    id: int
    chat_id: int
    date: int
    sender_id: int
    text: str = ""
    entities: list[dict[str, Any]] = field(default_factory=list)
    markup: dict[str, Any] | None = None  # the inline keyboard
    reply_markup: dict[str, Any] | None = None  # any other reply markup
    sender_chat_id: int = 0
    thread_id: int = 0
    is_topic: bool = False
    reply_to: int = 0
    edit_date: int = 0
    edits: int = 0
    deleted: bool = False
    protected: bool = False
    silent: bool = False
    service: dict[str, Any] | None = None
    photo: str = ""  # a file id
    link_preview: dict[str, Any] | None = None
    effect_id: str = ""
    forwarded_from: int = 0  # whose message this is a forward of
    forwarded_date: int = 0
    reactions: dict[int, list[str]] = field(default_factory=dict)
    rings: list[Ring] = field(default_factory=list)
    ephemeral_id: int = 0
    receiver_id: int = 0
    lost: bool = False  # an ephemeral message that did not arrive, or is gone from the app
    replaces: int = 0  # an ephemeral message shown in place of a public one
    order: int = 0  # its place among all messages of this Telegram
    seq: int = 0  # the event that last changed it

    @property
    def can_hold_text(self) -> bool:
        """Whether there is text that can be edited."""
        return not self.photo and self.service is None


@dataclass
class Chat:
    """A private chat with a bot, a group, or a supergroup."""

    id: int
    kind: str  # private, group, supergroup
    title: str = ""
    username: str = ""
    is_forum: bool = False
    user_id: int = 0  # private: the person
    bot_id: int = 0  # private: the bot
    started: bool = False
    blocked: bool = False
    members: dict[int, Member] = field(default_factory=dict)
    permissions: dict[str, bool] = field(default_factory=lambda: dict(USUAL_PERMISSIONS))
    topics: dict[int, Topic] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    ephemeral: dict[int, Message] = field(default_factory=dict)
    pinned: list[int] = field(default_factory=list)
    migrated_to: int = 0
    migrated_from: int = 0
    gone: bool = False  # deleted by its owner
    last_id: int = 0  # supergroups count their own messages
    last_bot: int = 0  # the bot that wrote last: privacy mode
    description: str = ""
    seq: int = 0

    @property
    def is_private(self) -> bool:
        """Whether it is a person's chat with a bot."""
        return self.kind == "private"

    def live(self) -> Iterator[Message]:
        """The messages that are there, oldest first."""
        return (m for m in self.messages.values() if not m.deleted)

    def members_present(self) -> list[Member]:
        """Who is in the group."""
        return [m for m in self.members.values() if m.present]


@dataclass
class Callback:
    """A press on a button, waiting for its answer."""

    id: str
    bot_id: int
    user_id: int
    chat_id: int
    message_id: int
    ephemeral_id: int
    data: str
    at: float
    update_id: int = 0
    answers: int = 0
    answer: dict[str, Any] | None = None
    answered_at: float = 0.0


@dataclass
class Update:
    """An update on its way to a bot."""

    id: int
    kind: str
    key: str  # its queue: field/telegram.md 2, Ordering
    payload: dict[str, Any]
    at: float
    expires: float
    attempts: int = 0
    state: str = "waiting"  # waiting, sending, delivered, expired, dropped
    not_before: float = 0.0
    last_error: str = ""
    handled_at: float = 0.0

    def body(self) -> dict[str, Any]:
        """What is sent."""
        return {"update_id": self.id, **self.payload}


@dataclass
class Webhook:
    """Where a bot wants its updates."""

    url: str = ""
    secret: str = ""
    max_connections: int = 40
    ip_address: str = ""
    last_error_date: int = 0
    last_error_message: str = ""


@dataclass
class Bot:
    """A bot: its token, its face, and the updates it did not take yet."""

    id: int
    token: str
    privacy: bool = True
    webhook: Webhook = field(default_factory=Webhook)
    allowed_updates: list[str] = field(default_factory=list)  # empty: the default set
    commands: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    short_descriptions: dict[str, str] = field(default_factory=dict)
    menu_buttons: dict[str, dict[str, Any]] = field(default_factory=dict)
    next_update: int = 1
    pending: dict[int, Update] = field(default_factory=dict)

    def wants(self, kind: str) -> bool:
        """Whether the bot asked for that kind of update."""
        return kind in self.allowed_updates if self.allowed_updates else kind not in NOT_BY_DEFAULT


@dataclass
class Settings:
    """What can be set about this Telegram."""

    limits: bool = True
    group_per_minute: int = 20
    chat_burst: int = 5
    chat_per_second: float = 1.0
    overall_per_second: int = 30
    callback_seconds: float = 30.0  # field/telegram.md 1.1: expiry is seen after 10 to 30 s
    ephemeral_seconds: float = 15.0
    ephemeral_lifetime: float = HOURS_24
    ephemeral_edit_limit: int = 1024  # reported: telegram-bot-api#881
    webhook_timeout: float = 60.0
    duplicate: float = 0.0  # the share of updates that are delivered twice
    delay: float = 0.0  # the longest time an update is held back, and may be overtaken meanwhile
    delayed: float = 0.0  # the share of updates that are held back
    seed: int = 0
