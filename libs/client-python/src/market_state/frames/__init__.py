"""Data frames of rows and packets, and joins without lookahead. Needs the extra `market-state[pandas]`."""

from market_state.frames.joins import join_known, join_rows
from market_state.frames.tables import Decimals, gaps_frame, history_frame, rows_frame

__all__ = ["Decimals", "gaps_frame", "history_frame", "join_known", "join_rows", "rows_frame"]
