"""A web process whose door stays open until the process is told to stop; it tells what happens, line by line."""

import asyncio

from telegram_bot.web import create_app, listen, serve


async def main() -> None:
    async def door(update: dict[str, object]) -> dict[str, object]:
        print("begun", flush=True)
        while not app.state.stopping:  # noqa: ASYNC110  the application has a flag, and no event
            await asyncio.sleep(0)
        return {"method": "answerCallbackQuery", "update": update["update_id"]}

    async def ready() -> str:
        return ""

    async def sender() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            print("put away", flush=True)

    app = create_app(door, "secret", ready)
    sockets = listen("127.0.0.1", 0)
    print(sockets[0].getsockname()[1], flush=True)
    await serve(app, sockets, [sender])


asyncio.run(main())
