"""Where updates go. getUpdates answers at once here; that it waits is delivery.py."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from playground.errors import bad
from playground.methods.api import METHODS, BotApi, Call, method
from playground.things import UPDATE_KINDS, Bot


def allowed(call: Call, bot: Bot) -> None:
    """Remember which kinds of updates are wanted; unset keeps what was (field/telegram.md 2)."""
    if "allowed_updates" not in call.params:
        return
    given = call.json("allowed_updates", "can't parse allowed_updates JSON object")
    if given is not None and not isinstance(given, list):
        raise bad("expected an Array of String")
    bot.allowed_updates = [kind for kind in given or [] if kind in UPDATE_KINDS]


@method
def set_webhook(api: BotApi, bot: Bot, call: Call) -> Any:
    """Say where updates go."""
    url, secret = call.text("url").strip(), call.text("secret_token")
    if len(secret) > 256:
        raise bad("secret token is too long")
    if secret and not re.fullmatch(r"[A-Za-z0-9_-]+", secret):
        raise bad("secret token contains unallowed characters")
    if url:
        _check_url(url)
    allowed(call, bot)
    if call.flag("drop_pending_updates"):
        for update in bot.pending.values():
            update.state = "dropped"
        bot.pending.clear()
    hook = bot.webhook
    hook.url, hook.secret = url, secret if url else ""
    hook.max_connections = min(100, max(1, call.integer("max_connections", 40)))
    hook.ip_address = call.text("ip_address")
    hook.last_error_date, hook.last_error_message = 0, ""
    for update in bot.pending.values():
        update.attempts, update.not_before = 0, 0.0
    api.world.tell("webhook")
    return True


def _check_url(url: str) -> None:
    """A webhook is https; on this machine (an address, or a name without a dot) plain http will do."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise bad("invalid webhook URL specified") from None
    if not host or parts.scheme not in ("http", "https") or re.search(r"\s", url):
        raise bad("invalid webhook URL specified")
    at_home = "." not in host or re.fullmatch(r"[\d.]+", host) is not None or ":" in host
    if parts.scheme == "http" and not at_home:
        raise bad("bad webhook: An HTTPS URL must be provided for webhook")
    if not at_home and port not in (None, 443, 80, 88, 8443):
        raise bad("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")


@method
def delete_webhook(api: BotApi, bot: Bot, call: Call) -> Any:
    """Let updates wait for getUpdates."""
    return set_webhook(api, bot, Call({"drop_pending_updates": call.params.get("drop_pending_updates")}))


@method
def get_webhook_info(api: BotApi, bot: Bot, call: Call) -> Any:
    """How delivery goes."""
    hook = bot.webhook
    api.world.drop_expired(bot)
    info: dict[str, Any] = {"url": hook.url, "has_custom_certificate": False, "pending_update_count": len(bot.pending)}
    if hook.url:
        info["max_connections"] = hook.max_connections
        info["ip_address"] = hook.ip_address or "127.0.0.1"
    if hook.last_error_message:
        info |= {"last_error_date": hook.last_error_date, "last_error_message": hook.last_error_message}
    if bot.allowed_updates:
        info["allowed_updates"] = list(bot.allowed_updates)
    return info


def get_updates(api: BotApi, bot: Bot, call: Call) -> Any:
    """Updates from an offset on; those before it are confirmed. Answers at once, waiting is delivery.py's."""
    world, offset = api.world, call.integer("offset")
    limit = min(100, max(1, call.integer("limit", 100)))
    world.drop_expired(bot)
    ids = sorted({u.id for u in bot.pending.values()})
    if offset < 0:
        offset = ids[offset] if len(ids) >= -offset else (ids[0] if ids else 0)
    now = world.now()
    taken: list[dict[str, Any]] = []
    seen: set[int] = set()
    for number, update in list(bot.pending.items()):
        if update.id < offset and offset:
            update.state, update.handled_at = "delivered", now
            del bot.pending[number]
    for update in sorted(bot.pending.values(), key=lambda u: u.id):
        if update.id >= offset and update.not_before <= now and update.id not in seen and len(taken) < limit:
            seen.add(update.id)
            update.attempts += 1
            taken.append(update.body())
    if not bot.pending:
        world.tell("taken")
    return taken


METHODS["getupdates"] = ("getUpdates", get_updates)
