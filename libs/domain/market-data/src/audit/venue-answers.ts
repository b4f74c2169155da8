import { positiveAsSent } from '../decimal';

/** One-minute candle from a venue's REST response. Minutes without trades can be absent or have a total of 0. */
export interface VenueCandle {
  readonly openMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Base units, or quote currency if the venue counts contracts. */
  readonly turnover: { readonly field: 'volume' | 'notional'; readonly value: string };
  /** Absent if the venue does not count trades. */
  readonly tradeTotal?: number;
}

export interface BestPrice {
  readonly price: string;
  readonly size: string;
}

/** Top of a book, identified by update id, or by time if the venue has no ids. */
export interface BestPrices {
  readonly place: { readonly by: 'id' | 'time'; readonly value: number };
  readonly timeMs: number;
  readonly bid: BestPrice;
  readonly ask: BestPrice;
}

export interface VenueContext {
  /** Epoch milliseconds; absent if the venue sends no time. */
  readonly timeMs?: number;
  readonly markPrice?: string;
  readonly fundingRate?: string;
}

/** All candles of an answer; undefined if it has no list of them, or one cannot be read. */
export function readCandles(rows: unknown, read: (row: unknown) => VenueCandle | undefined): readonly VenueCandle[] | undefined {
  if (!Array.isArray(rows)) return undefined;
  const candles = (rows as unknown[]).map(read);
  return candles.every((candle) => candle !== undefined) ? candles : undefined;
}

/** @param prices open, high, low and close; undefined unless all are positive decimals */
export function candlePrices(prices: readonly unknown[]): Pick<VenueCandle, 'open' | 'high' | 'low' | 'close'> | undefined {
  const [open, high, low, close] = prices.map(positiveAsSent);
  if (open === undefined || high === undefined || low === undefined || close === undefined) return undefined;
  return { open, high, low, close };
}

/** Top of a side whose levels are lists that begin with price and size, best first. */
export function bestOf(
  levels: unknown,
  read: (value: unknown) => string | undefined = positiveAsSent,
  readSize: (value: unknown) => string | undefined = read,
): BestPrice | undefined {
  const [level] = Array.isArray(levels) ? (levels as unknown[]) : [];
  if (!Array.isArray(level)) return undefined;
  const [price, size] = [read(level[0]), readSize(level[1])];
  return price === undefined || size === undefined ? undefined : { price, size };
}

interface AuditedInstrument {
  readonly venueInstrument: string;
  readonly contractValue?: string;
  readonly contractSize?: string;
}

export interface VenueAnswerReader {
  candles(text: string, instrument: AuditedInstrument): readonly VenueCandle[] | undefined;
  bestPrices(text: string, instrument: AuditedInstrument): BestPrices | undefined;
  context(text: string, instrument: AuditedInstrument): VenueContext | undefined;
}

interface ExpectedMessage {
  readonly fields: readonly string[];
  readonly isRare?: boolean;
}

/** Includes fields the adapter does not read: a new field may change the meaning of others. */
export interface ExpectedMessages {
  /** Undefined for connection messages. */
  kindOf(message: Readonly<Record<string, unknown>>): { readonly kind: string; readonly body: unknown } | undefined;
  readonly messages: Readonly<Record<string, ExpectedMessage>>;
}
