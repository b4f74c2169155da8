import {
  type BookMessage,
  type ContextMessage,
  endlessMarket,
  type LiquidationMessage,
  type MarketMessage,
  type MarketStep,
  type SentMessage,
  STEP_MS,
  type TradeMessage,
  type VenueScenario,
} from '@market-state/scenarios';
import {
  SYMBOL,
  COIN,
  type AssetContext,
  bestFrame,
  bookFrame,
  FAST_LEVELS,
  liquidationsFrame,
  type OutFrame,
  type Stream,
  type TradeRow,
  tradeRow,
  WHOLE_LEVELS,
  wireDecimal,
  type Candle,
} from './protocol/frames';

const MINUTE_MS = 60_000;
const CANDLES_KEPT = 240;
/** Sizes are whole lots of 0.01. */
const LOTS = 100;

interface Minute {
  readonly startMs: number;
  readonly open: string;
  close: string;
  high: string;
  low: string;
  lots: number;
  trades: number;
}

class MinuteCandles {
  private readonly minutes: Minute[] = [];

  add({ tsMs, price, size }: { readonly tsMs: number; readonly price: string; readonly size: string }): void {
    const startMs = Math.floor(tsMs / MINUTE_MS) * MINUTE_MS;
    const lots = Math.round(Number(size) * LOTS);
    const minute = this.minutes.at(-1);
    if (minute === undefined || minute.startMs < startMs) {
      this.minutes.push({ startMs, open: price, close: price, high: price, low: price, lots, trades: 1 });
      if (this.minutes.length > CANDLES_KEPT) this.minutes.shift();
      return;
    }
    minute.close = price;
    if (Number(price) > Number(minute.high)) minute.high = price;
    if (Number(price) < Number(minute.low)) minute.low = price;
    minute.lots += lots;
    minute.trades++;
  }

  /** Possibly incomplete. */
  newest(): Candle | undefined {
    const minute = this.minutes.at(-1);
    return minute && candleOf(minute);
  }

  between(startMs: number, endMs: number): Candle[] {
    return this.minutes.filter((minute) => minute.startMs + MINUTE_MS > startMs && minute.startMs <= endMs).map(candleOf);
  }
}

function candleOf({ startMs, open, close, high, low, lots, trades }: Minute): Candle {
  const [o, c, h, l] = [open, close, high, low].map(wireDecimal) as [string, string, string, string];
  return { t: startMs, T: startMs + MINUTE_MS - 1, s: COIN, i: '1m', o, c, h, l, v: wireDecimal(String(lots / LOTS)), n: trades };
}

const HOUR_MS = 3_600_000;
const KEPT = 500;

interface FundingRow {
  readonly coin: string;
  readonly fundingRate: string;
  readonly premium: string;
  readonly time: number;
}

/** One payment at each full hour, at the last published rate. */
class FundingHistory {
  private readonly rows: FundingRow[] = [];
  private nextMs: number | undefined;

  add(atMs: number, fundingRate: string, premium: string): void {
    this.nextMs ??= Math.floor(atMs / HOUR_MS) * HOUR_MS;
    for (; this.nextMs <= atMs; this.nextMs += HOUR_MS) this.rows.push({ coin: COIN, fundingRate, premium, time: this.nextMs });
    if (this.rows.length > KEPT) this.rows.splice(0, this.rows.length - KEPT);
  }

  between(startMs: number, endMs: number): FundingRow[] {
    return this.rows.filter(({ time }) => time >= startMs && time <= endMs);
  }
}

/** A whole book is pushed every second step: twice a second. */
const WHOLE_EVERY_MS = 2 * STEP_MS;
/** Trades at the start of a subscription, and in `recentTrades`. */
const BACKLOG_TRADES = 30;
const RECENT_TRADES = 100;
const RATE_DECIMALS = 8;
const SIZE_DECIMALS = 2;

export class VenueMarket {
  readonly candles = new MinuteCandles();
  readonly fundings = new FundingHistory();
  /** True book as of the last step. */
  truth: BookMessage | undefined;
  /** Start of the next step. */
  nextMs: number;
  /** Last restart of the scenario. */
  beganMs: number;
  private readonly steps: Generator<MarketStep, never>;
  private readonly idBase: number;
  private waiting: SentMessage[] = [];
  /** Last sent state. */
  private book: BookMessage | undefined;
  private best = '';
  private context: ContextMessage | undefined;
  private trades: TradeRow[] = [];
  private baseVolume = 0;

  /** @param startMs multiple of 10,000 */
  constructor(seed: number, startMs: number, scenario: VenueScenario) {
    this.steps = endlessMarket({ seed, symbol: SYMBOL, startMs, scenario });
    this.nextMs = startMs;
    this.beganMs = startMs;
    // A restarted venue must not reuse ids.
    this.idBase = startMs * 1_000;
  }

  step(): { readonly played: MarketStep; readonly frames: readonly OutFrame[] } {
    const played = this.steps.next().value;
    this.nextMs = played.startMs + STEP_MS;
    this.beganMs = played.startMs - played.sinceBeginMs;
    const trades = played.happened.filter(isTrade);
    for (const trade of trades) this.candles.add(trade);
    this.truth = played.happened.filter(isBook).at(-1) ?? this.truth;
    this.waiting.push(...played.sent);
    const due = this.waiting.filter(({ atMs }) => atMs < this.nextMs).map(({ message }) => message);
    this.waiting = this.waiting.filter(({ atMs }) => atMs >= this.nextMs);
    return {
      played,
      frames: played.isDisconnected ? [] : [...this.framesOf(due, played.startMs), ...(trades.length > 0 ? this.candleFrames() : [])],
    };
  }

  rowOf(trade: TradeMessage): TradeRow {
    return tradeRow(trade, this.idBase);
  }

  /** First frames of a subscription. */
  opening(stream: Stream): readonly OutFrame[] {
    const { book } = this;
    switch (stream) {
      case 'l2Book':
        return book === undefined ? [] : [{ stream, frame: bookFrame(book, WHOLE_LEVELS) }];
      case 'l2BookFast':
        return book === undefined ? [] : [{ stream, frame: bookFrame(book, FAST_LEVELS) }];
      case 'bbo': {
        const frame = book && bestFrame(book);
        return frame === undefined ? [] : [{ stream, frame }];
      }
      case 'trades':
        return [{ stream, frame: { channel: 'trades', data: this.trades.slice(-BACKLOG_TRADES) } }];
      case 'activeAssetCtx':
        return this.contextFrames();
      case 'candle':
        return this.candleFrames();
      case 'simLiquidations':
        return [];
    }
  }

  lastBook(): BookMessage | undefined {
    return this.book;
  }

  recentTrades(): readonly TradeRow[] {
    return this.trades.toReversed();
  }

  assetContext(): AssetContext | undefined {
    const { context, book } = this;
    const [bid, ask] = [book?.bids[0], book?.asks[0]];
    if (context === undefined || bid === undefined || ask === undefined) return undefined;
    return {
      dayBaseVlm: wireDecimal(this.baseVolume.toFixed(SIZE_DECIMALS)),
      dayNtlVlm: wireDecimal(context.dayVolume),
      funding: wireDecimal(context.fundingRate),
      impactPxs: [wireDecimal(bid.price), wireDecimal(ask.price)],
      markPx: wireDecimal(context.markPrice),
      midPx: wireDecimal(context.midPrice),
      openInterest: wireDecimal(context.openInterest),
      oraclePx: wireDecimal(context.oraclePrice),
      premium: premiumOf(context),
      prevDayPx: '1500.0',
    };
  }

  private framesOf(messages: readonly MarketMessage[], stepMs: number): OutFrame[] {
    const trades = messages.filter(isTrade).map((trade) => this.rowOf(trade));
    const liquidations = messages.filter((message): message is LiquidationMessage => message.kind === 'liquidation');
    return [
      ...(trades.length > 0 ? this.tradeFrames(trades) : []),
      ...messages.filter(isBook).flatMap((book) => this.bookFrames(book, stepMs)),
      ...messages.flatMap((message) => (message.kind === 'context' ? this.take(message) : [])),
      ...(liquidations.length > 0 ? [{ stream: 'simLiquidations', frame: liquidationsFrame(liquidations, this.idBase) } as const] : []),
    ];
  }

  private tradeFrames(trades: readonly TradeRow[]): OutFrame[] {
    for (const { sz } of trades) this.baseVolume += Number(sz);
    this.trades = [...this.trades, ...trades].slice(-RECENT_TRADES);
    return [{ stream: 'trades', frame: { channel: 'trades', data: trades } }];
  }

  private bookFrames(book: BookMessage, stepMs: number): OutFrame[] {
    if (this.book === undefined || book.tsMs >= this.book.tsMs) this.book = book;
    const best = bestFrame(book);
    const text = JSON.stringify(best?.data.bbo);
    const isNewBest = best !== undefined && text !== this.best;
    this.best = text;
    return [
      ...(stepMs % WHOLE_EVERY_MS === 0 ? [{ stream: 'l2Book', frame: bookFrame(book, WHOLE_LEVELS) } as const] : []),
      { stream: 'l2BookFast', frame: bookFrame(book, FAST_LEVELS) },
      ...(isNewBest ? [{ stream: 'bbo', frame: best } as const] : []),
    ];
  }

  private take(context: ContextMessage): readonly OutFrame[] {
    this.context = context;
    this.fundings.add(context.tsMs, wireDecimal(context.fundingRate), premiumOf(context));
    return this.contextFrames();
  }

  private contextFrames(): readonly OutFrame[] {
    const ctx = this.assetContext();
    return ctx === undefined ? [] : [{ stream: 'activeAssetCtx', frame: { channel: 'activeAssetCtx', data: { coin: 'SIM', ctx } } }];
  }

  private candleFrames(): readonly OutFrame[] {
    const data = this.candles.newest();
    return data === undefined ? [] : [{ stream: 'candle', frame: { channel: 'candle', data } }];
  }
}

function premiumOf({ markPrice, oraclePrice }: ContextMessage): string {
  return ((Number(markPrice) - Number(oraclePrice)) / Number(oraclePrice)).toFixed(RATE_DECIMALS);
}

function isTrade(message: MarketMessage): message is TradeMessage {
  return message.kind === 'trade';
}

function isBook(message: MarketMessage): message is BookMessage {
  return message.kind === 'book';
}
