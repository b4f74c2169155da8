interface Named {
  readonly symbol: string;
  /** Absent at the symbol's primary venue. */
  readonly venue?: string;
}

/** The row with the name of its market as symbol: `BTCUSD-PERP`, or `BTCUSD-PERP@okx` away from the primary venue. */
export function marketNamed<Row extends Named>(row: Row): Row {
  return row.venue === undefined ? row : { ...row, symbol: `${row.symbol}@${row.venue}` };
}

/** Entries with a venue each, the primary one of a symbol first, named like rows. */
export function marketsNamed<Entry extends Required<Named>>(entries: readonly Entry[]): readonly Entry[] {
  const isFirst = ({ symbol }: Entry, at: number): boolean => entries.findIndex((other) => other.symbol === symbol) === at;
  return entries.map((entry, at) => (isFirst(entry, at) ? entry : marketNamed(entry)));
}

/** Inverse of the name. */
export function symbolOf(market: string): string {
  return market.split('@')[0] ?? market;
}
