"""Clients that we did not write live with the playground: python-telegram-bot over a webhook, aiogram by polling."""

import asyncio
import contextlib

from aiogram import Bot, Dispatcher, F
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.filters import Command
from aiogram.types import InlineKeyboardButton, InlineKeyboardMarkup
from aiohttp import web
from telegram import InlineKeyboardButton as Button
from telegram import InlineKeyboardMarkup as Keyboard
from telegram import Update
from telegram.error import BadRequest, ChatMigrated, Forbidden
from telegram.ext import ApplicationBuilder, CallbackQueryHandler, CommandHandler


async def test_python_telegram_bot_plays_over_a_webhook(far, hook):
    app = ApplicationBuilder().token(far.token).base_url(f"{far.url}/bot").updater(None).build()

    async def newgame(update, context):
        await update.effective_message.reply_text(
            "<b>Lobby</b>", parse_mode="HTML", reply_markup=Keyboard([[Button("Join", callback_data="j")]])
        )

    async def press(update, context):
        name = update.callback_query.from_user.first_name
        await update.callback_query.edit_message_text(
            f"Lobby: {name}", reply_markup=Keyboard([[Button("Join", callback_data="j")]])
        )
        await context.bot.send_message(
            update.effective_chat.id,
            "your hand",
            api_kwargs={
                "ephemeral_message_parameters": {
                    "receiver_user_id": update.effective_user.id,
                    "callback_query_id": update.callback_query.id,
                }
            },
        )
        await update.callback_query.answer(f"Welcome, {name}.")

    app.add_handler(CommandHandler("newgame", newgame))
    app.add_handler(CallbackQueryHandler(press))

    async def handle(update):
        await app.process_update(Update.de_json(update, app.bot))
        return web.Response()

    hook.answer = handle
    ann, bob = await far.person("Ann", language="de"), await far.person("Bob")
    group = await far.group(ann, bob)
    async with app:
        await app.bot.set_webhook(
            hook.url, secret_token="s", allowed_updates=["message", "callback_query", "my_chat_member"]
        )
        await far.post("write", as_=ann, chat=group, text="/newgame@stay_away_bot")
        await far.post("wait", chat=group, as_=bob, text="Lobby")
        pressed = await far.post("press", as_=bob, chat=group, text="Join")
        assert pressed["text"] == "Welcome, Bob."
        assert [m["text"] for m in await far.seen(group, bob)] == ["/newgame@stay_away_bot", "Lobby: Bob", "your hand"]
        assert [m["text"] for m in await far.seen(group, ann)] == ["/newgame@stay_away_bot", "Lobby: Bob"]
        chat = await app.bot.get_chat(group)
        assert chat.title == "Camp" and (await app.bot.get_chat_member(group, ann)).status == "creator"
        with contextlib.suppress(BadRequest):
            await app.bot.edit_message_text("Lobby: Bob", group, 99)
        new = (await far.post(f"groups/{group}/upgrade"))["id"]
        try:
            await app.bot.send_message(group, "x")
        except ChatMigrated as migrated:
            assert migrated.new_chat_id == new
        else:
            raise AssertionError("the group is gone")
        try:
            await app.bot.send_message(ann, "x")
        except Forbidden as forbidden:
            assert "initiate" in str(forbidden)
        else:
            raise AssertionError("she never started the bot")


async def test_aiogram_plays_by_polling(far):
    session = AiohttpSession(api=TelegramAPIServer.from_base(far.url))
    bot = Bot(far.token, session=session)
    dispatcher = Dispatcher()
    keys = InlineKeyboardMarkup(
        inline_keyboard=[[InlineKeyboardButton(text="Join", callback_data="j", style="success")]]
    )

    @dispatcher.message(Command("newgame"))
    async def newgame(message):
        await message.answer("Lobby", reply_markup=keys)

    @dispatcher.callback_query(F.data == "j")
    async def press(query):
        await query.message.edit_text("Lobby: " + query.from_user.first_name, reply_markup=keys)
        await query.answer("in", show_alert=True)

    ann = await far.person("Ann")
    group = await far.group(ann, forum=True)
    thread = (await far.post(f"groups/{group}/topics", name="Games"))["thread"]
    polling = asyncio.create_task(dispatcher.start_polling(bot, handle_signals=False, close_bot_session=False))
    try:
        await far.post("write", as_=ann, chat=group, thread=thread, text="/newgame")
        await far.post("wait", chat=group, as_=ann, thread=thread, text="Lobby")
        pressed = await far.post("press", as_=ann, chat=group, text="Join")
        assert (pressed["text"], pressed["show_alert"]) == ("in", True)
    finally:
        await dispatcher.stop_polling()
        await polling
        await session.close()
