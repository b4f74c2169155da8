"""Data frames of rows and packets, for pandas (`market-state[pandas]`), with joins without lookahead, and for polars
(`market-state[polars]`). Neither is imported before it is used.
"""

from market_state.frames.joins import join_known, join_rows
from market_state.frames.polars import PolarsDecimals, gaps_polars, history_polars, rows_polars
from market_state.frames.tables import Decimals, gaps_frame, history_frame, rows_frame

__all__ = [
    "Decimals",
    "PolarsDecimals",
    "gaps_frame",
    "gaps_polars",
    "history_frame",
    "history_polars",
    "join_known",
    "join_rows",
    "rows_frame",
    "rows_polars",
]
