"""Loads half an hour of packets, each with the newest book and the trades it was made from."""

import os
from datetime import datetime, timedelta, timezone

from market_state import MarketState
from market_state.frames import join_known, join_rows

end = datetime.now(timezone.utc) - timedelta(minutes=2)
span = ("BTCUSD-PERP", end - timedelta(minutes=30), end)

with MarketState(os.environ["MARKET_STATE_URL"], api_key=os.environ["MARKET_STATE_API_KEY"], max_credits_per_call=50) as ms:
    history = ms.history(*span).to_df()
    book, trades, packets = ms.replay(*span).to_frames("book", "trades", "packets", allow_partial=True)
    spec = ms.events.join_spec(event_id=packets["event_id"].iloc[-1]).data

joined = join_rows(packets, {"book": book, "trades": trades}, spec)
print(joined[["state", "book_best_bid", "book_best_ask", "trades_buy_size", "trades_sell_size"]].tail().to_string())

# Joins what was known when each trade was received, and nothing later.
known = join_known(trades, history[["known_at_utc", "state"]], prefix="packet_")
print(known[["price", "size", "packet_state"]].tail())
print("missing:", book.attrs["partial"] or "nothing")
