import type { Levels } from '../book-side';
import { decimalAsSent, positiveAsSent, unsignedAsSent, multiplyDecimals, positiveDecimal, venueNumber, fundingOf } from '../decimal';
import type { Received } from '../recordings/play-messages';
import { cellsOf, type CsvHeader, type TimeColumn, type TimeUnit } from './columns';
import { secondsToMs, parseUtcInstant } from '../text-forms';
import type { ContextEvent, LiquidationEvent, TradeEvent } from '../event';

export interface CsvBook {
  readonly type: 'book';
  readonly timeMs: number;
  readonly bids: Levels;
  readonly asks: Levels;
}

interface CsvTrade {
  readonly type: 'trade';
  readonly timeMs: number;
  readonly id?: string;
  /** Consecutive: a jump is a gap. */
  readonly number?: number;
  readonly price: string;
  readonly size: string;
  readonly aggressorSide: TradeEvent['aggressorSide'];
}

interface CsvLiquidation {
  readonly type: 'liquidation';
  readonly timeMs: number;
  readonly price: string;
  readonly size: string;
  readonly positionSide: LiquidationEvent['positionSide'];
}

export interface CsvContext {
  readonly type: 'context';
  readonly timeMs: number;
  readonly facts: Pick<
    ContextEvent,
    'fundingRate' | 'venueFundingRate' | 'fundingIntervalHours' | 'openInterest' | 'markPrice' | 'oraclePrice' | 'midPrice' | 'dayVolume'
  >;
}

export type CsvMessage = CsvBook | CsvTrade | CsvLiquidation | CsvContext;

/** Digits of a timestamp between 2001 and 2286. */
const DIGITS = { ms: 13, us: 16, ns: 19 } as const;
const UTC = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|\+00:00)?$/;

const TIME_FORMS: Readonly<Record<TimeUnit, string>> = {
  s: 'seconds since 1970, such as 1723161256.172',
  ms: 'milliseconds since 1970, such as 1723161256172',
  us: 'microseconds since 1970, such as 1723161256172000',
  ns: 'nanoseconds since 1970, such as 1723161256172000000',
  utc: 'a UTC time, such as 2024-08-08T23:54:16.172Z',
};

export function timeOfCell(text: string, unit: TimeUnit): number | undefined {
  if (unit === 's') return /^\d{10}(?:\.|$)/.test(text) ? secondsToMs(text) : undefined;
  if (unit === 'utc') return UTC.test(text) ? parseUtcInstant(text) : undefined;
  const [whole = '', fraction] = text.split('.');
  if (whole.length !== DIGITS[unit] || !/^\d+$/.test(whole) || (fraction !== undefined && !/^\d{1,9}$/.test(fraction))) return undefined;
  return Number(whole.slice(0, DIGITS.ms));
}

class Row {
  isFaulty = false;

  constructor(
    private readonly header: CsvHeader,
    private readonly cells: readonly string[],
    private readonly fault: (sentence: string) => void,
  ) {}

  wrong(sentence: string): void {
    this.isFaulty = true;
    this.fault(sentence);
  }

  text(name: string): string {
    return this.cells[this.header.columns.get(name) ?? -1] ?? '';
  }

  time({ name, index, unit }: TimeColumn): number {
    const text = this.cells[index] ?? '';
    const timeMs = timeOfCell(text, unit);
    if (timeMs === undefined) this.wrong(`${name} ${quoted(text)} is not ${TIME_FORMS[unit]}`);
    return timeMs ?? 0;
  }

  positive(name: string): string {
    const value = positiveDecimal(this.text(name));
    if (value === undefined) this.wrong(`${name} ${quoted(this.text(name))} is not a positive number`);
    return value ?? '1';
  }

  oneOf<T extends string>(name: string, words: readonly [T, ...T[]]): T {
    const text = this.text(name).toLowerCase();
    const word = words.find((each) => each === text);
    if (word === undefined) this.wrong(`${name} ${quoted(this.text(name))} is not ${words.join(' or ')}`);
    return word ?? words[0];
  }

  optional(name: string, read: (text: string) => string | undefined, what: string): string | undefined {
    const text = this.text(name);
    if (text === '') return undefined;
    const value = read(text);
    if (value === undefined) this.wrong(`${name} ${quoted(text)} is ${what}`);
    return value;
  }
}

/**
 * @param contractSize base units per unit of size in the file; default 1
 * @param fault receives each problem as a sentence; if called, the result is undefined
 */
export function readCsvRow(
  line: string,
  header: CsvHeader,
  contractSize: string | undefined,
  fault: (sentence: string) => void,
): Received<CsvMessage> | undefined {
  const cells = cellsOf(line);
  if (cells.length !== header.columns.size) {
    fault(`row has ${cells.length} cells, the header has ${header.columns.size}`);
    return undefined;
  }
  const row = new Row(header, cells, fault);
  const timeMs = row.time(header.exchangeTime);
  const receivedMs = header.receivedTime === header.exchangeTime ? timeMs : row.time(header.receivedTime);
  const message = readMessage(row, header, timeMs, (size) => (contractSize === undefined ? size : multiplyDecimals(size, contractSize)));
  return row.isFaulty ? undefined : { receivedMs, message };
}

function readMessage(row: Row, { kind, levels }: CsvHeader, timeMs: number, sizeOf: (text: string) => string): CsvMessage {
  switch (kind) {
    case 'book':
      return { type: 'book', timeMs, ...readSides(row, levels, sizeOf) };
    case 'trade': {
      const id = row.text('trade_id');
      const made = {
        type: 'trade',
        timeMs,
        ...priceAndSize(row, sizeOf),
        aggressorSide: row.oneOf('aggressor_side', ['buy', 'sell']),
      } as const;
      return id === '' ? made : { ...made, id };
    }
    case 'liquidation':
      return { type: 'liquidation', timeMs, ...priceAndSize(row, sizeOf), positionSide: row.oneOf('position_side', ['long', 'short']) };
    case 'context':
      return { type: 'context', timeMs, facts: readFacts(row) };
  }
}

function priceAndSize(row: Row, sizeOf: (text: string) => string): { price: string; size: string } {
  return { price: row.positive('price'), size: sizeOf(row.positive('size')) };
}

function readSides(row: Row, levels: number, sizeOf: (text: string) => string): { bids: Levels; asks: Levels } {
  const bids = readSide(row, 'bid', levels, sizeOf);
  const asks = readSide(row, 'ask', levels, sizeOf);
  const [bid = 0, ask = Infinity] = [bids.prices[0], asks.prices[0]];
  if (bid > ask && !row.isFaulty) row.wrong(`the best bid ${bid} is above the best ask ${ask}`);
  return { bids, asks };
}

/** A side ends at its first level without a price; at least one level is required. */
function readSide(row: Row, side: 'bid' | 'ask', levels: number, sizeOf: (text: string) => string): Levels {
  const prices: number[] = [];
  const sizes: number[] = [];
  for (let level = 1; level <= levels; level++) {
    const [priceName, sizeName] = [`${side}_price_${level}`, `${side}_size_${level}`];
    if (level > 1 && row.text(priceName) === '' && row.text(sizeName) === '') break;
    const price = venueNumber(row.positive(priceName));
    const size = venueNumber(sizeOf(row.positive(sizeName)));
    if (Number.isNaN(price) || Number.isNaN(size)) row.wrong(`level ${level} has a number of more than 15 digits`);
    const before = prices.at(-1);
    if (before !== undefined && !row.isFaulty && (side === 'bid' ? price >= before : price <= before))
      row.wrong(
        `${priceName} ${price} is not ${side === 'bid' ? 'below' : 'above'} ${side}_price_${level - 1} ${before}: order levels best first`,
      );
    prices.push(price);
    sizes.push(size);
  }
  return { prices, sizes };
}

function readFacts(row: Row): CsvContext['facts'] {
  const positive = (name: string): string | undefined => row.optional(name, positiveAsSent, 'not a positive number');
  const rate = row.optional('funding_rate', decimalAsSent, 'not a number');
  const hours = row.optional(
    'funding_interval_hours',
    (text) => (/^[1-9]\d{0,2}$/.test(text) ? text : undefined),
    'not a whole number of hours',
  );
  if (rate !== undefined && hours === undefined && !row.isFaulty)
    row.wrong('funding_rate is per payment: funding_interval_hours must state the hours between payments');
  const entries = Object.entries({
    openInterest: row.optional('open_interest_base', unsignedAsSent, 'not a number from zero up'),
    markPrice: positive('mark_price'),
    oraclePrice: positive('index_price'),
    midPrice: positive('mid_price'),
    dayVolume: row.optional('volume_24h_quote', unsignedAsSent, 'not a number from zero up'),
  }).filter(([, value]) => value !== undefined);
  return { ...(rate !== undefined && hours !== undefined && fundingOf(rate, Number(hours))), ...Object.fromEntries(entries) };
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
