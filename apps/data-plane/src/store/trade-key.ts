const INTEGER = /^[0-9]+$/;

/** What trades are ordered by inside a candle: exchange time, pass, the venue's id. */
export interface TradePlace {
  readonly exchangeTsMs: number;
  readonly pass: number;
  readonly venueId: string;
}

/**
 * Order of a trade as text: two of them compare by their bytes as exchange time, pass and venue id do, ids that are integers by their
 * value and before all others.
 */
export function tradeKey({ exchangeTsMs, pass, venueId }: TradePlace): string {
  return `${String(exchangeTsMs).padStart(16, '0')}${String(pass).padStart(10, '0')}${idKey(venueId)}`;
}

function idKey(venueId: string): string {
  if (!INTEGER.test(venueId)) return `1${venueId}`;
  const value = venueId.replace(/^0+/, '');
  return `0${String(value.length).padStart(4, '0')}${value} ${venueId}`;
}
