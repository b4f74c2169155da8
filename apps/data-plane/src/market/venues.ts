import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import type { ReadVenue, SymbolMarket } from '@market-state/live-market';
import type { ServedInstrument, InstrumentRow } from '@market-state/market-data';
import type { Pool } from 'pg';
import { readReportedInstruments, type ReportedInstrument } from '../store/catalog';
import type { MarketTail } from './tail';

/** Facts as last reported by the feed, otherwise from the instrument table. */
export interface VenueView extends ReadVenue {
  readonly venueInstrument: string;
}

interface VenueSources {
  readonly market: SymbolMarket | undefined;
  readonly reported: ReportedInstrument | undefined;
  readonly row: InstrumentRow | undefined;
}

const UNKNOWN = { channels: [], bookStalenessMs: 0, tradeStalenessMs: 0, contextStalenessMs: 0, closingLagMs: 0 } as const;

export function venueOf({ market, reported, row }: VenueSources): VenueView {
  const names = reported ?? row;
  const limits = market?.facts ?? row ?? UNKNOWN;
  return {
    venue: names?.venue ?? market?.venue ?? '',
    venueInstrument: names?.venueInstrument ?? '',
    contractValue: names?.contractValue,
    sourceKind: market?.facts?.sourceKind ?? reported?.sourceKind,
    channels: limits.channels,
    closingLagMs: limits.closingLagMs,
    stalenessMs(channel) {
      switch (channel) {
        case 'book':
          return limits.bookStalenessMs;
        case 'trade':
          return limits.tradeStalenessMs;
        case 'context':
          return limits.contextStalenessMs;
        case 'liquidation':
        case 'control':
          return 0;
      }
    },
  };
}

/** The feed reports once per start, possibly after this process started. */
const REFRESH_MS = 2_000;

export interface Venues extends Closable {
  of(symbol: string): VenueView;
}

export function startVenues(pool: Pool, tail: Pick<MarketTail, 'peek'>, served: readonly ServedInstrument[]): Venues {
  const rows = new Map(served.map(({ symbol, row }) => [symbol, row]));
  let bySymbol = new Map<string, ReportedInstrument>();

  async function refresh(): Promise<void> {
    const instruments = await readReportedInstruments(pool);
    bySymbol = new Map(instruments.map((instrument) => [instrument.symbol, instrument]));
  }

  const refreshing = repeatUntilClosed(refresh, { intervalMs: REFRESH_MS, onError: () => undefined });
  return {
    of: (symbol) => venueOf({ market: tail.peek(symbol), reported: bySymbol.get(symbol), row: rows.get(symbol) }),
    close: () => refreshing.close(),
  };
}
