import { channelOf, CHANNELS, type MarketEvent } from '../event';
import type { InstrumentRow, PlayedInstrument } from '../played-instrument';

/**
 * What rows say of their instrument: the first `connected` among the first of them, else the table's row of their venue. Neither:
 * `isKnown` is false, and the limits stand for nothing.
 */
export function rowFacts(
  first: readonly MarketEvent[],
  table: readonly InstrumentRow[],
): { readonly instrument: PlayedInstrument; readonly isKnown: boolean } {
  const [event] = first;
  const { venue = '', symbol = '' } = event ?? {};
  const row = table.find((each) => each.symbol === symbol && each.venue === venue);
  const named = {
    symbol,
    venue,
    venueInstrument: row?.venueInstrument ?? symbol,
    ...(row?.contractValue !== undefined && { contractValue: row.contractValue }),
  };
  for (const each of first) {
    if (each.kind !== 'feed_status' || each.status.type !== 'connected') continue;
    const { channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs } = each.status;
    return { instrument: { ...named, channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs }, isKnown: true };
  }
  if (row !== undefined) return { instrument: { ...row, ...named }, isKnown: true };
  const seen = new Set(first.map(channelOf));
  const channels = CHANNELS.filter((channel) => channel !== 'control' && seen.has(channel));
  return {
    instrument: { ...named, channels, bookStalenessMs: 1, tradeStalenessMs: 1, contextStalenessMs: 1, closingLagMs: 1 },
    isKnown: false,
  };
}
