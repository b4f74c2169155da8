import type { Channel } from '../event';
import type { FeedName, InstrumentFacts, InstrumentRow } from '../played-instrument';
import { perpetualOf as symbolOf } from '../venue-name';
import type { ListedPerpetual } from './listed-perpetual';

/** Limits of a venue's rows; those of instruments without a bundled row are wider, because most trade seldom. */
export interface RowLimits {
  readonly channels: readonly Channel[];
  readonly bookStalenessMs: number;
  readonly closingLagMs: number;
}

interface ListedVenue {
  readonly venue: string;
  readonly feed: FeedName;
  readonly limits: RowLimits;
  readonly listing: readonly ListedPerpetual[];
}

export interface LeftOut {
  readonly venue: string;
  readonly venueInstrument: string;
  /** Completes a sentence that starts with the instrument. */
  readonly reason: string;
}

const TRADE_STALENESS_MS = 600_000;
const CONTEXT_STALENESS_MS = 120_000;
/** Order of preference among several perpetuals of one coin. */
const QUOTES = ['USDT', 'USD', 'USDC'];

interface Candidate {
  readonly row: InstrumentRow;
  readonly listed: ListedPerpetual;
  readonly isBundled: boolean;
}

/**
 * Rows of the traded perpetuals, one per feed and symbol, largest day volume first. A bundled row keeps its limits and
 * wins over other instruments of its symbol; then the quote decides, then a multiplier of 1, then the volume.
 */
export function rowsOfListing(
  venues: readonly ListedVenue[],
  bundled: readonly InstrumentRow[],
): { readonly rows: readonly InstrumentRow[]; readonly leftOut: readonly LeftOut[] } {
  const leftOut: LeftOut[] = [];
  const chosen = new Map<string, Candidate>();
  for (const { venue, feed, limits, listing } of venues) {
    for (const listed of listing) {
      const { venueInstrument } = listed;
      const leave = (reason: string): void => void leftOut.push({ venue, venueInstrument, reason });
      const own = bundled.find((row) => row.feed === feed && row.venue === venue && row.venueInstrument === venueInstrument);
      const name = symbolOf(listed.base);
      const symbol = own?.symbol ?? (name.type === 'symbol' ? name.symbol : undefined);
      if (listed.notTraded !== undefined) leave(`is not traded: ${listed.notTraded}`);
      else if (symbol === undefined) leave(name.type === 'symbol' ? '' : name.reason);
      else {
        const row = rowOf({ venue, feed, limits }, listed, symbol, own);
        const candidate: Candidate = { row, listed, isBundled: own !== undefined };
        const key = `${feed} ${symbol}`;
        const other = chosen.get(key);
        const [winner, loser] = other === undefined || isBefore(candidate, other) ? [candidate, other] : [other, candidate];
        chosen.set(key, winner);
        if (loser !== undefined) leftOut.push(losesTo(loser, winner));
      }
    }
  }
  const rows = [...chosen.values()].map(({ row }) => row);
  return { rows: rows.toSorted((a, b) => volumeOf(b) - volumeOf(a)), leftOut };
}

function losesTo({ row: { venue, venueInstrument } }: Candidate, { row }: Candidate): LeftOut {
  return { venue, venueInstrument, reason: `has the same symbol as ${row.venueInstrument} of ${row.venue}` };
}

function rowOf(
  { venue, feed, limits }: Omit<ListedVenue, 'listing'>,
  { venueInstrument, unit, ...listed }: ListedPerpetual,
  symbol: string,
  own: InstrumentRow | undefined,
): InstrumentRow {
  const { multiplier, quote, tickSize, lotSize, fundingIntervalHours, listedMs, endsMs, dayVolumeUsd } = listed;
  const facts: InstrumentFacts = { multiplier, quote, tickSize, lotSize, fundingIntervalHours, listedMs, endsMs, dayVolumeUsd };
  return {
    feed,
    symbol,
    venue,
    venueInstrument,
    ...(unit === 'base' ? {} : unit),
    channels: own?.channels ?? limits.channels,
    bookStalenessMs: own?.bookStalenessMs ?? limits.bookStalenessMs,
    tradeStalenessMs: own?.tradeStalenessMs ?? TRADE_STALENESS_MS,
    contextStalenessMs: own?.contextStalenessMs ?? CONTEXT_STALENESS_MS,
    closingLagMs: own?.closingLagMs ?? limits.closingLagMs,
    facts,
  };
}

function isBefore(a: Candidate, b: Candidate): boolean {
  if (a.isBundled !== b.isBundled) return a.isBundled;
  const quotes = quoteRank(a.listed) - quoteRank(b.listed);
  if (quotes !== 0) return quotes < 0;
  const [isPlainA, isPlainB] = [a.listed.multiplier === '1', b.listed.multiplier === '1'];
  return isPlainA === isPlainB ? volumeOf(a.row) > volumeOf(b.row) : isPlainA;
}

function quoteRank({ quote }: ListedPerpetual): number {
  const rank = QUOTES.indexOf(quote);
  return rank < 0 ? QUOTES.length : rank;
}

function volumeOf({ facts }: InstrumentRow): number {
  return Number(facts?.dayVolumeUsd ?? 0);
}
