import { z } from 'zod';
import type { Channel } from './event';
import { type FeedName, IMPORT, type InstrumentFacts, type InstrumentRow, UnknownSymbolError } from './played-instrument';
import { toSentence } from './issue-sentences';
import { SYMBOL_FORM } from './market';
import { VENUE_NAME_FORM, VENUE_NAME_SENTENCE } from './venue-name';
import { venueOf, venues } from './venues';
import recording from '../instruments/recording.json';

const RECORDING = 'recording';

/** Feeds that instrument rows may name. */
const ROW_FEEDS: readonly FeedName[] = [RECORDING, ...new Set(venues.flatMap(({ live }) => live?.feed ?? []))];

export const FEED_NAMES: readonly FeedName[] = [...ROW_FEEDS, IMPORT];

/** Unusable instrument table. `faults` are sentences that name rows by number, from 1. */
export class InstrumentTableError extends Error {
  override readonly name = 'InstrumentTableError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '));
  }
}

const CHANNEL_NAMES = { book: 'book', trades: 'trade', context: 'context', liquidations: 'liquidation' } as const satisfies Record<
  string,
  Channel
>;

function venuesOf(feed: FeedName): readonly string[] {
  return venues.filter(({ formats, live }) => (feed === RECORDING ? formats.length > 0 : live?.feed === feed)).map(({ name }) => name);
}

const UNIT_WORDS = { inverse: 'US dollars', contract: 'an amount of the coin' } as const;

const limitMs = z.int('must be a whole number of milliseconds').min(1, 'must be 1 or more').max(86_400_000, 'must be 86400000 or less');

const channelName = z.enum(Object.keys(CHANNEL_NAMES) as (keyof typeof CHANNEL_NAMES)[], {
  error: `must be one of ${Object.keys(CHANNEL_NAMES).join(', ')}`,
});

const plainDecimal = z.string().regex(/^(?=.*[1-9])(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{0,29}[1-9])?$/, 'must be a plain positive decimal');
const epochMs = z.int('must be whole milliseconds').min(0, 'must be 0 or more');

const facts = z.strictObject({
  multiplier: plainDecimal,
  quote: z.string(),
  tick_size: plainDecimal.optional(),
  lot_size: plainDecimal.optional(),
  funding_interval_hours: z.int('must be a whole number of hours').min(1, 'must be 1 or more').optional(),
  listed_ms: epochMs.optional(),
  ends_ms: epochMs.optional(),
  day_volume_usd: plainDecimal.optional(),
});

const row = z
  .strictObject({
    feed: z.enum(ROW_FEEDS, { error: `must be one of ${ROW_FEEDS.join(', ')}` }),
    symbol: z.string().regex(SYMBOL_FORM, 'must be <BASE>USD-PERP with a base of 1 to 20 capital letters and digits'),
    venue: z.string(),
    venue_instrument: z.string().regex(VENUE_NAME_FORM, VENUE_NAME_SENTENCE),
    contract_value: z
      .string()
      .regex(/^(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{0,8}[1-9])?$/, 'must be a plain decimal')
      .refine((value) => value !== '0', 'must be positive')
      .optional(),
    contract_size: plainDecimal.optional(),
    facts: facts.optional(),
    channels: z
      .array(channelName)
      .min(1, 'must list at least one channel')
      .refine((names) => new Set(names).size === names.length, 'must not list a channel twice'),
    book_staleness_ms: limitMs,
    trade_staleness_ms: limitMs,
    context_staleness_ms: limitMs,
    closing_lag_ms: limitMs.max(60_000, 'must be 60000 or less'),
  })
  .superRefine(({ feed, venue: name, venue_instrument: instrument, contract_value: value, contract_size: size }, context) => {
    const fault = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
    const [allowed, venue] = [venuesOf(feed), venueOf(name)];
    if (!allowed.includes(name)) fault('venue', `must be ${allowed.join(' or ')} if feed is ${feed}`);
    if (venue === undefined) return;
    const unit = venue.unitOf?.(instrument) ?? 'base';
    const reason = unit === 'base' ? 'quantities are base units' : `quantities are contracts worth ${UNIT_WORDS[unit]}`;
    if (unit === 'inverse' && value === undefined) fault('contract_value', 'is required: quantities are contracts');
    if (unit !== 'inverse' && value !== undefined) fault('contract_value', `must be absent: ${reason}`);
    if (unit === 'contract' && size === undefined) fault('contract_size', `is required: ${reason}`);
    if (unit !== 'contract' && size !== undefined) fault('contract_size', `must be absent: ${reason}`);
    const read = venue.parseName?.(instrument);
    if (read?.type === 'not_played') fault('venue_instrument', `${instrument} ${read.reason}`);
    const known = venue.contractValues?.[instrument];
    if (value !== undefined && known !== undefined && value !== known) fault('contract_value', `must be ${known} for ${instrument}`);
  });

const table = z.array(row, { error: 'must be a list of rows' });

/**
 * Validates the parsed JSON of an instrument table.
 * @throws InstrumentTableError listing every fault
 */
export function readInstrumentRows(json: unknown): readonly InstrumentRow[] {
  const read = table.safeParse(json, { error: toSentence });
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

/**
 * As `readInstrumentRows`, from text.
 * @throws InstrumentTableError, also for invalid JSON
 */
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
    ...(read.contract_size !== undefined && { contractSize: read.contract_size }),
    channels: read.channels.map((name) => CHANNEL_NAMES[name]),
    bookStalenessMs: read.book_staleness_ms,
    tradeStalenessMs: read.trade_staleness_ms,
    contextStalenessMs: read.context_staleness_ms,
    closingLagMs: read.closing_lag_ms,
    ...(read.facts !== undefined && { facts: toFacts(read.facts) }),
  };
}

function toFacts(read: z.output<typeof facts>): InstrumentFacts {
  return {
    multiplier: read.multiplier,
    quote: read.quote,
    tickSize: read.tick_size,
    lotSize: read.lot_size,
    fundingIntervalHours: read.funding_interval_hours,
    listedMs: read.listed_ms,
    endsMs: read.ends_ms,
    dayVolumeUsd: read.day_volume_usd,
  };
}

const CHANNEL_WORDS = Object.fromEntries(Object.entries(CHANNEL_NAMES).map(([word, channel]) => [channel, word]));

/** One row per line, as `parseInstrumentRows` reads it. */
export function instrumentTableText(rows: readonly InstrumentRow[]): string {
  return `[\n${rows.map((each) => `  ${JSON.stringify(fromInstrumentRow(each))}`).join(',\n')}\n]\n`;
}

function fromInstrumentRow(each: InstrumentRow): object {
  const { facts: known } = each;
  return {
    feed: each.feed,
    symbol: each.symbol,
    venue: each.venue,
    venue_instrument: each.venueInstrument,
    contract_value: each.contractValue,
    contract_size: each.contractSize,
    channels: each.channels.map((channel) => CHANNEL_WORDS[channel]),
    book_staleness_ms: each.bookStalenessMs,
    trade_staleness_ms: each.tradeStalenessMs,
    context_staleness_ms: each.contextStalenessMs,
    closing_lag_ms: each.closingLagMs,
    facts: known && {
      multiplier: known.multiplier,
      quote: known.quote,
      tick_size: known.tickSize,
      lot_size: known.lotSize,
      funding_interval_hours: known.fundingIntervalHours,
      listed_ms: known.listedMs,
      ends_ms: known.endsMs,
      day_volume_usd: known.dayVolumeUsd,
    },
  };
}

export interface Instrument extends InstrumentRow {
  readonly contractValue: string;
}

export const instrumentRows: readonly InstrumentRow[] = readInstrumentRows([
  ...recording,
  ...new Set(venues.flatMap(({ live }) => live?.rows ?? [])),
]);

export function instrumentOf(symbol: string): Instrument {
  const recorded = instrumentRows.filter((row): row is Instrument => row.feed === 'recording' && row.contractValue !== undefined);
  const instrument = recorded.find((row) => row.symbol === symbol);
  if (instrument !== undefined) return instrument;
  throw new UnknownSymbolError(
    `unknown symbol ${JSON.stringify(symbol.slice(0, 40))}; known: ${recorded.map((row) => row.symbol).join(', ')}`,
  );
}
