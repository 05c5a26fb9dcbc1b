"""What is wrong with the set-up is told in one line that says which and how to mend it."""

import asyncio
import gc
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from telegram_bot import config
from telegram_bot.errors import Wrong

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
DATABASE = "postgresql://bot:geheim@db.example.org:5432/stay"


def read(**environment: str) -> config.Config:
    return config.read(environment)


def test_nothing_need_be_set_and_an_empty_value_is_none():
    settings = read(PORT="", BOT_TOKEN=" ")
    assert (settings.port, settings.token, settings.database_url) == (8080, None, None)
    assert settings.telegram_api == "https://api.telegram.org"


def test_heroku_may_write_the_database_its_own_way():
    settings = read(DATABASE_URL="postgres://bot:a%20b@db:5432/stay?sslmode=require")
    assert settings.database_url == "postgresql+psycopg://bot:a b@db:5432/stay?sslmode=require"


def test_the_secret_follows_from_the_token_and_may_be_set():
    one, same, other = read(BOT_TOKEN=TOKEN), read(BOT_TOKEN=TOKEN), read(BOT_TOKEN=TOKEN + "x")
    assert one.secret == same.secret != other.secret
    assert TOKEN not in one.secret
    assert read(BOT_TOKEN=TOKEN, WEBHOOK_SECRET="of_my-own").secret == "of_my-own"


def test_the_webhooks_address_changes_with_the_secret_and_does_not_tell_it():
    one = read(BOT_TOKEN=TOKEN, PUBLIC_URL="https://bot.example.org/", WEBHOOK_SECRET="one")
    other = read(BOT_TOKEN=TOKEN, PUBLIC_URL="https://bot.example.org", WEBHOOK_SECRET="other")
    assert one.webhook_url != other.webhook_url
    assert one.webhook_url.startswith("https://bot.example.org/telegram?")
    assert "other" not in other.webhook_url


def test_an_address_next_door_may_do_without_encryption():
    assert read(TELEGRAM_API="http://127.0.0.1:8081/", PUBLIC_URL="http://127.0.0.1:8080").public_url


@pytest.mark.parametrize(("environment", "says"), [
    ({"STAY_AWAY_DEBUG": "1"}, "STAY_AWAY_DEBUG is no option: there are BOT_TOKEN"),
    ({"BOT_TOKN": TOKEN}, "BOT_TOKN is no option: did you mean BOT_TOKEN"),
    ({"bot_token": TOKEN}, "bot_token is no option: did you mean BOT_TOKEN"),
    ({"DATABASE_URI": DATABASE}, "did you mean DATABASE_URL"),
    ({"BOT_TOKEN": "my token"}, "BOT_TOKEN is no bot token: one looks like"),
    ({"PORT": "http"}, "PORT must be a number from 1 to 65535"),
    ({"PORT": "0"}, "PORT must be a number"),
    ({"PORT": "65536"}, "PORT must be a number"),
    ({"PORT": "\u0661\u0662"}, "PORT must be a number"),
    ({"WEBHOOK_SECRET": "with space"}, "WEBHOOK_SECRET must be 1 to 256"),
    ({"WEBHOOK_SECRET": "x" * 257}, "WEBHOOK_SECRET must be 1 to 256"),
    ({"PUBLIC_URL": "bot.example.org"}, "PUBLIC_URL must be an address that begins with https://"),
    ({"PUBLIC_URL": "http://bot.example.org"}, "PUBLIC_URL must be an address that begins with https://"),
    ({"PUBLIC_URL": "https://bot.example.org:8081"}, "use 443, 80, 88 or 8443"),
    ({"PUBLIC_URL": "https://bot.example.org/?a=b"}, "PUBLIC_URL must be"),
    ({"PUBLIC_URL": "https://a:b@bot.example.org"}, "PUBLIC_URL must be"),
    ({"PUBLIC_URL": "https://[::1"}, "PUBLIC_URL must be"),
    ({"TELEGRAM_API": "127.0.0.1:8081"}, "TELEGRAM_API must be an address that begins with https:// or http://"),
    ({"LOG_LEVEL": "loud"}, "LOG_LEVEL must be debug, info, warning or error"),
    ({"DATABASE_URL": "mysql://bot:geheim@db/stay"}, "DATABASE_URL is wrong: starts with mysql://"),
    ({"DATABASE_URL": "postgresql+asyncpg://bot:geheim@db/stay"}, "DATABASE_URL is wrong"),
    ({"DATABASE_URL": "db:geheim"}, "DATABASE_URL is wrong: not an address of the form"),
    ({"DATABASE_URL": "postgres://bot:geheim@db:port/stay"}, "DATABASE_URL is wrong"),
    ({"DATABASE_URL": "postgres://bot:geheim@db:99999/stay"}, "DATABASE_URL is wrong: has an impossible port"),
])
def test_what_is_wrong_is_named(environment: dict[str, str], says: str):
    with pytest.raises(Wrong) as caught:
        config.read(environment)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("name", ["TELEGRAM_API_ID", "RAILWAY_PUBLIC_URL", "DATABASE_PUBLIC_URL", "SPORT", "TOKEN"])
def test_the_names_of_others_are_none_of_ours(name: str):
    assert config.read({name: "anything"}) == config.read({})


def test_an_option_that_is_set_has_no_misspelling():
    assert read(DATABASE_URL=DATABASE, DATABASE_URI="left by somebody") == read(DATABASE_URL=DATABASE)


def test_no_secret_is_in_the_repr():
    said = repr(read(BOT_TOKEN=TOKEN, DATABASE_URL=DATABASE, WEBHOOK_SECRET="oursecret"))
    for secret in (TOKEN, "geheim", "oursecret"):
        assert secret not in said


def test_no_secret_is_in_the_log(capsys):
    before = logging.getLogger().handlers[:], logging.getLogger().level
    try:
        config.set_up_logging(read(BOT_TOKEN=TOKEN, DATABASE_URL=DATABASE, LOG_LEVEL="debug"))
        logging.getLogger("some.library").warning("POST https://api.telegram.org/bot%s/getMe", TOKEN)
        logging.getLogger("httpx").info("POST %s", "a hand")
        try:
            raise ValueError(DATABASE)
        except ValueError:
            logging.getLogger("some.library").exception("failed")
        try:
            raise LookupError("a hand")
        except LookupError:
            logging.getLogger("some.library").warning("this line %d cannot be written", "a number")
        with asyncio.Runner() as runner:
            runner.get_loop().set_exception_handler(config.tell_discreetly)
            runner.run(leave_a_task_to_fail())
        said = capsys.readouterr().err
    finally:
        logging.getLogger().handlers[:] = before[0]
        logging.getLogger().setLevel(before[1])
    assert "bot***/getMe" in said and "ValueError" in said and "was never retrieved (LookupError" in said
    for secret in (TOKEN, "geheim", "a hand"):
        assert secret not in said


async def leave_a_task_to_fail() -> None:
    async def fails() -> None:
        raise LookupError("a hand")

    task = asyncio.create_task(fails())
    await asyncio.sleep(0)
    del task
    gc.collect()


# -- the command line


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    bare = {name: value for name, value in os.environ.items() if name not in config.KNOWN}
    return subprocess.run([sys.executable, "-m", "telegram_bot", *arguments], env=bare | environment, cwd=ROOT,
                          capture_output=True, text=True)


@pytest.mark.parametrize(("command", "environment", "says"), [
    ("web", {}, "BOT_TOKEN is not set"),
    ("poll", {}, "BOT_TOKEN is not set"),
    ("web", {"BOT_TOKEN": TOKEN}, "DATABASE_URL is not set"),
    ("migrate", {}, "DATABASE_URL is not set"),
    ("migrate", {"DATABASE_URL": "postgres://bot:geheim@127.0.0.1:1/stay"}, "DATABASE_URL leads to no database"),
    ("play", {"PUBLIC_URL": "https://bot.example.org"}, "PUBLIC_URL is set, but BOT_TOKEN is not"),
    ("play", {"PORT": "eighty"}, "PORT must be a number"),
])
def test_the_program_stops_with_one_line(command: str, environment: dict[str, str], says: str):
    done = run(command, **environment)
    assert done.returncode == 2
    assert done.stderr.startswith("stay-away: ") and says in done.stderr
    assert done.stderr.count("\n") == 1 and not done.stdout
    assert "geheim" not in done.stderr and TOKEN not in done.stderr
