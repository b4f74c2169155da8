import { z } from 'zod';
import type { Channel } from './event';
import { type FeedName, type InstrumentRow, UnknownSymbolError } from './played-instrument';
import { VENUE_NAME_FORM, VENUE_NAME_SENTENCE } from './venue-name';
import { venueOf, venues } from './venues';
import recording from '../instruments/recording.json';

const RECORDING = 'recording';

export const FEED_NAMES: readonly FeedName[] = [RECORDING, ...new Set(venues.flatMap(({ live }) => live?.feed ?? []))];

/** Unusable instrument table. `faults` are sentences that name rows by number, from 1. */
export class InstrumentTableError extends Error {
  override readonly name = 'InstrumentTableError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '));
  }
}

export const SYMBOL_FORM = /^[A-Z0-9]{1,20}USD-PERP$/;

const CHANNEL_NAMES = { book: 'book', trades: 'trade', context: 'context', liquidations: 'liquidation' } as const satisfies Record<
  string,
  Channel
>;

function venuesOf(feed: FeedName): readonly string[] {
  return venues.filter(({ formats, live }) => (feed === RECORDING ? formats.length > 0 : live?.feed === feed)).map(({ name }) => name);
}

const limitMs = z.int('must be a whole number of milliseconds').min(1, 'must be 1 or more').max(86_400_000, 'must be 86400000 or less');

const channelName = z.enum(Object.keys(CHANNEL_NAMES) as (keyof typeof CHANNEL_NAMES)[], {
  error: `must be one of ${Object.keys(CHANNEL_NAMES).join(', ')}`,
});

const row = z
  .strictObject({
    feed: z.enum(FEED_NAMES, { error: `must be one of ${FEED_NAMES.join(', ')}` }),
    symbol: z.string().regex(SYMBOL_FORM, 'must be <BASE>USD-PERP with a base of 1 to 20 capital letters and digits'),
    venue: z.string(),
    venue_instrument: z.string().regex(VENUE_NAME_FORM, VENUE_NAME_SENTENCE),
    contract_value: z
      .string()
      .regex(/^(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{0,8}[1-9])?$/, 'must be a plain decimal')
      .refine((value) => value !== '0', 'must be positive')
      .optional(),
    channels: z
      .array(channelName)
      .min(1, 'must list at least one channel')
      .refine((names) => new Set(names).size === names.length, 'must not list a channel twice'),
    book_staleness_ms: limitMs,
    trade_staleness_ms: limitMs,
    context_staleness_ms: limitMs,
    closing_lag_ms: limitMs.max(60_000, 'must be 60000 or less'),
  })
  .superRefine(({ feed, venue, venue_instrument: name, contract_value: value }, context) => {
    const fault = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    const [allowed, values] = [venuesOf(feed), venueOf(venue)?.contractValues];
    if (!allowed.includes(venue)) fault('venue', `must be ${allowed.join(' or ')} if feed is ${feed}`);
    if (values !== undefined && value === undefined) fault('contract_value', 'is required: quantities are contracts');
    if (values === undefined && value !== undefined) fault('contract_value', 'must be absent: quantities are base units');
    const read = venueOf(venue)?.parseName?.(name);
    if (read?.type === 'not_played') fault('venue_instrument', `${name} ${read.reason}`);
    const known = values?.[name];
    if (value !== undefined && known !== undefined && value !== known) fault('contract_value', `must be ${known} for ${name}`);
  });

const table = z.array(row, { error: 'must be a list of rows' });

/**
 * Validates the parsed JSON of an instrument table.
 * @throws InstrumentTableError listing every fault
 */
export function readInstrumentRows(json: unknown): readonly InstrumentRow[] {
  const read = table.safeParse(json);
  if (!read.success) throw new InstrumentTableError(read.error.issues.map(({ path, message }) => sentence(path, message)));
  const rows = read.data.map(toInstrumentRow);
  const repeated = rows.flatMap(({ feed, symbol }, index) =>
    rows.findIndex((other) => other.feed === feed && other.symbol === symbol) < index
      ? [`row ${index + 1}: ${feed} already has ${symbol}`]
      : [],
  );
  if (repeated.length > 0) throw new InstrumentTableError(repeated);
  return rows;
}

/** Same, from text. @throws InstrumentTableError, also for invalid JSON */
export function parseInstrumentRows(text: string): readonly InstrumentRow[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new InstrumentTableError(['is not valid JSON']);
  }
  return readInstrumentRows(json);
}

function sentence([index, ...path]: readonly PropertyKey[], message: string): string {
  if (typeof index !== 'number') return message;
  return `row ${index + 1}: ${path.length === 0 ? '' : `${path.map(String).join('.')} `}${message}`;
}

function toInstrumentRow(read: z.output<typeof row>): InstrumentRow {
  return {
    feed: read.feed,
    symbol: read.symbol,
    venue: read.venue,
    venueInstrument: read.venue_instrument,
    ...(read.contract_value !== undefined && { contractValue: read.contract_value }),
    channels: read.channels.map((name) => CHANNEL_NAMES[name]),
    bookStalenessMs: read.book_staleness_ms,
    tradeStalenessMs: read.trade_staleness_ms,
    contextStalenessMs: read.context_staleness_ms,
    closingLagMs: read.closing_lag_ms,
  };
}

export interface Instrument extends InstrumentRow {
  readonly contractValue: string;
}

export const instrumentRows: readonly InstrumentRow[] = readInstrumentRows([
  ...recording,
  ...new Set(venues.flatMap(({ live }) => live?.rows ?? [])),
]);

/** Instrument of a bundled recording. @throws UnknownSymbolError listing the available symbols */
export function instrumentOf(symbol: string): Instrument {
  const recorded = instrumentRows.filter((row): row is Instrument => row.feed === 'recording' && row.contractValue !== undefined);
  const instrument = recorded.find((row) => row.symbol === symbol);
  if (instrument !== undefined) return instrument;
  throw new UnknownSymbolError(
    `unknown symbol ${JSON.stringify(symbol.slice(0, 40))}; known: ${recorded.map((row) => row.symbol).join(', ')}`,
  );
}
