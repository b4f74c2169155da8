"""Streams the next packets of two markets and prints an id to resume from. Asynchronous."""

import asyncio
import os

from market_state import AsyncMarketState


async def main() -> None:
    async with AsyncMarketState(os.environ["MARKET_STATE_URL"], api_key=os.environ["MARKET_STATE_API_KEY"]) as ms:
        async with ms.stream.packets(["BTCUSD-PERP", "ETHUSD-PERP"], view="compact", max_credits=1) as messages:
            had = 0
            async for message in messages:
                if message.type == "packet":
                    print(message.symbol, message.data["state"], "resume_from:", message.id)
                    had += 1
                if message.type in ("hole", "skipped"):
                    print("packets are missing:", message)
                if had == 2:
                    break


asyncio.run(main())
