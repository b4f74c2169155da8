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
import { SYMBOL } from '../protocol/coin';
import {
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
} from '../protocol/frames';
import { FundingHistory } from './funding-history';
import { MinuteCandles } from './minute-candles';

/** A whole book is pushed at every second step: two a second. */
const WHOLE_EVERY_MS = 2 * STEP_MS;
/** Trades that a new subscription gets, and that `recentTrades` answers. */
const BACKLOG_TRADES = 30;
const RECENT_TRADES = 100;
const RATE_DECIMALS = 8;
const SIZE_DECIMALS = 2;

/** Makes the frames of the market, step by step, and knows what the venue knows now. */
export class VenueMarket {
  readonly candles = new MinuteCandles();
  readonly fundings = new FundingHistory();
  /** The true book, as of the last step. */
  truth: BookMessage | undefined;
  /** Start of the step that comes next. */
  nextMs: number;
  /** When the scenario last began anew. */
  beganMs: number;
  private readonly steps: Generator<MarketStep, never>;
  private readonly idBase: number;
  private waiting: SentMessage[] = [];
  /** What was sent last. */
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
    // Ids of a venue that starts again must not be those it gave before.
    this.idBase = startMs * 1_000;
  }

  /** Plays the next step: what happened, and the frames of what is sent of it. */
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

  /** The row of a trade as the venue tells it. */
  rowOf(trade: TradeMessage): TradeRow {
    return tradeRow(trade, this.idBase);
  }

  /** What a subscription begins with. */
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

  /** As of what was sent last. */
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
    this.fundings.told(context.tsMs, wireDecimal(context.fundingRate), premiumOf(context));
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
