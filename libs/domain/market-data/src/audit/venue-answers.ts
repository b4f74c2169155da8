/** A candle of one minute as the venue tells it when asked. A minute without a trade may be left out, or have a total of 0. */
export interface VenueCandle {
  /** Milliseconds since the epoch. */
  readonly openMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** What was traded: base units, or the quote currency where the venue counts contracts. */
  readonly turnover: { readonly field: 'volume' | 'notional'; readonly value: string };
  readonly tradeTotal: number;
}

/** A best price, and the quantity there in the venue's own unit. */
export interface BestPrice {
  readonly price: string;
  readonly size: string;
}

/** The best prices of a book, and which book: by the venue's update id, or by its time where the venue numbers nothing. */
export interface BestPrices {
  readonly place: { readonly by: 'id' | 'time'; readonly value: number };
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly bid: BestPrice;
  readonly ask: BestPrice;
}

/** Mark price and funding rate of one payment, as sent; a value that the venue left out is absent. */
export interface VenueContext {
  /** Milliseconds since the epoch; absent where the venue says no time. */
  readonly timeMs?: number;
  readonly markPrice?: string;
  readonly fundingRate?: string;
}

/** Whose answer it is. */
interface AuditedInstrument {
  readonly venueInstrument: string;
  /** US dollars that a contract stands for; absent where quantities are in base units. */
  readonly contractValue?: string;
}

/** How the answers of a venue's REST routes are read. Each gives undefined for text that is no such answer, and never throws. */
export interface VenueAnswerReader {
  candles(text: string, instrument: AuditedInstrument): readonly VenueCandle[] | undefined;
  bestPrices(text: string, instrument: AuditedInstrument): BestPrices | undefined;
  context(text: string, instrument: AuditedInstrument): VenueContext | undefined;
}
