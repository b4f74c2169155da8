"""Prints the state of each market and the reason. Reads MARKET_STATE_URL and MARKET_STATE_API_KEY."""

import os

from market_state import MarketState, is_usable

with MarketState(os.environ["MARKET_STATE_URL"], api_key=os.environ["MARKET_STATE_API_KEY"], max_credits_per_call=10) as ms:
    answer = ms.latest.get(symbol="ALL", view="compact")
    for row in answer.data["rows"]:
        print(row["symbol"], row["state"] if is_usable(row) else f"{row['state']} (do not act on this)", "-", row["headline"])
    print(f"{answer.call.charged} credits, {answer.call.remaining} left")
