"""The least that answers a press: python-telegram-bot as it comes, with its own HTTP client; python -m bench.bare.

One handler that answers the query and edits the message. No database, no game, no order and no limits.
"""

from __future__ import annotations

import json
import os

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.ext import Application, CallbackQueryHandler, ContextTypes

TEXT = (
    "Your turn. You are Human.\nYou drew Suspicion.\nPlay a card, or discard one. The others see a discard face down."
)


async def pressed(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    query = update.callback_query
    assert query is not None and query.data is not None
    await query.answer()
    number = int(query.data.rpartition(".")[2]) + 1
    rows = [
        [InlineKeyboardButton(f"Card {i}.{j}", callback_data=f"bare.{i}.{j}.{number}") for j in range(2)]
        for i in range(3)
    ]
    await query.edit_message_text(f"{TEXT} {number}", parse_mode="HTML", reply_markup=InlineKeyboardMarkup(rows))


async def serve() -> None:
    app = (
        Application.builder()
        .token("1000:TEST")
        .base_url(f"{os.environ['TELEGRAM_API']}/bot")
        .updater(None)
        .job_queue(None)
        .connection_pool_size(64)
        .build()
    )
    app.add_handler(CallbackQueryHandler(pressed))

    async def telegram(request: Request) -> Response:
        await app.process_update(Update.de_json(json.loads(await request.body()), app.bot))
        return Response()

    async def ready(request: Request) -> Response:
        return Response("ready")

    async with app:
        site = Starlette(routes=[Route("/telegram", telegram, methods=["POST"]), Route("/readyz", ready)])
        await uvicorn.Server(
            uvicorn.Config(
                site, port=int(os.environ["PORT"]), log_level="warning", access_log=False, timeout_keep_alive=75
            )
        ).serve()


if __name__ == "__main__":
    import uvloop

    with __import__("asyncio").Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve())
