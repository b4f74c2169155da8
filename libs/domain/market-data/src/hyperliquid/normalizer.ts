import { type TimedChannel, MINUTE_MS } from '../event';
import type { LogPosition, LogWriter } from '../log-writer';
import { type LiveNormalizer, RecentIds, timeFault } from '../normalizer';
import { type NotAccepted, noRejections, type RejectionReason } from '../rejections';
import { writeTradeGap } from '../gap-id';
import type {
  AssetContext,
  FundingPayment,
  HyperliquidMessage,
  HyperliquidTrade,
  SimulatedLiquidation,
  TradeFrame,
  WholeBook,
  MinuteCandle,
} from './parse-frame';
import { PushedBook } from './pushed-book';

/** A live connection pushes several times per second; after this silence, trades may be missing. */
const QUIET_MS = 2_000;
/** Trades remembered for overlap with a recent-trades response; several times the response's size. */
const NEWEST_MAX = 1_024;

/** Delay before a minute's candle and trades count as complete; the same again for requested trades. */
const SETTLED_MS = 5_000;
const BELIEVED_AFTER = 3;
/** Its candles count each trade by design. */
const COUNTS_EACH_TRADE = 'simulated';

interface Minute {
  readonly tradesMs: number[];
  counted: number | undefined;
  countedToMs: number;
  readonly started: StartedMinute | undefined;
  lastTradeId: string;
}

interface StartedMinute {
  readonly counted: number;
  readonly newestMs: number;
}

/**
 * The venue's candle is the only evidence of missing trades without sequence numbers. It is trusted after three
 * matching minutes. A short minute requests recent trades; if still short, it becomes a gap.
 */
class TradeCount {
  private readonly minutes = new Map<number, Minute>();
  private agreed: number;
  private isShort = false;
  private firstMs: number | undefined;
  private newestMs = 0;
  private silentMs = 0;

  constructor(
    private readonly place: Pick<LogPosition, 'instrument' | 'pass'>,
    private readonly log: LogWriter,
  ) {
    this.agreed = place.instrument.venue === COUNTS_EACH_TRADE ? BELIEVED_AFTER : 0;
  }

  get needsTrades(): boolean {
    return this.isShort;
  }

  trade(timeMs: number, id: string): void {
    const minute = this.minutes.get(minuteOf(timeMs)) ?? this.whole(minuteOf(timeMs));
    this.newestMs = Math.max(this.newestMs, timeMs);
    if (minute === undefined || (minute.started !== undefined && timeMs <= minute.started.newestMs)) return;
    minute.tradesMs.push(timeMs);
    minute.lastTradeId = id;
  }

  candle({ startMs, tradeCount }: MinuteCandle): void {
    this.firstMs ??= startMs;
    const minute = this.minutes.get(startMs) ?? this.whole(startMs) ?? this.startedBefore(startMs, tradeCount);
    if (minute === undefined) return;
    const counted = tradeCount - (minute.started?.counted ?? 0);
    if (minute.counted !== undefined && counted <= minute.counted) return;
    minute.counted = counted;
    minute.countedToMs = this.newestMs;
  }

  tick(isSilent: boolean): void {
    const { clockMs } = this.log;
    this.isShort = false;
    if (isSilent) this.silentMs = clockMs;
    for (const [startMs, minute] of this.minutes) {
      const overMs = clockMs - Math.max(startMs + MINUTE_MS, this.silentMs);
      if (overMs < SETTLED_MS) continue;
      if (missingIn(minute) > 0 && this.isBelieved && overMs < 2 * SETTLED_MS) {
        this.isShort = true;
        continue;
      }
      this.minutes.delete(startMs);
      this.judge(startMs, minute);
    }
  }

  ended(): void {
    for (const [startMs, minute] of this.minutes) this.judge(startMs, minute);
    this.minutes.clear();
  }

  private get isBelieved(): boolean {
    return this.agreed >= BELIEVED_AFTER;
  }

  /** Excess trades belong to another minute (clock skew), so as many of this minute may be missing. */
  private judge(startMs: number, minute: Minute): void {
    const missing = missingIn(minute);
    if (minute.counted === undefined) return;
    if (missing !== 0 && this.isBelieved) {
      const endMs = Math.max(startMs, Math.min(startMs + MINUTE_MS, this.log.clockMs));
      writeTradeGap(this.place, this.log, { startMs, endMs, lastVenueId: minute.lastTradeId });
    } else this.agreed = missing !== 0 ? 0 : this.agreed + 1;
  }

  private whole(startMs: number): Minute | undefined {
    if (this.firstMs === undefined || startMs <= this.firstMs || this.log.clockMs - (startMs + MINUTE_MS) >= SETTLED_MS) return undefined;
    return this.keep(startMs, undefined);
  }

  private startedBefore(startMs: number, counted: number): Minute | undefined {
    return startMs === this.firstMs && this.log.clockMs < startMs + MINUTE_MS
      ? this.keep(startMs, { counted, newestMs: this.newestMs })
      : undefined;
  }

  private keep(startMs: number, started: StartedMinute | undefined): Minute {
    const minute: Minute = { tradesMs: [], counted: undefined, countedToMs: 0, started, lastTradeId: '' };
    this.minutes.set(startMs, minute);
    return minute;
  }
}

function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
}

function missingIn({ counted = 0, countedToMs, tradesMs }: Minute): number {
  if (tradesMs.length <= counted) return counted - tradesMs.length;
  return counted - tradesMs.filter((timeMs) => timeMs <= countedToMs).length;
}

/**
 * Trades, payments and liquidations are deduplicated by id; late ones keep their time. In recordings (pass > 0),
 * silence and candle counts prove nothing and are ignored.
 */
export class HyperliquidNormalizer implements LiveNormalizer<HyperliquidMessage> {
  readonly rejections = noRejections();
  private readonly book: PushedBook;
  private readonly tradeCount: TradeCount | undefined;
  private readonly knownIds = new RecentIds();
  private readonly hasLiquidations: boolean;
  private readonly isLive: boolean;
  private heardMs: number | undefined;
  private wantsTrades = false;
  private readonly newest: HyperliquidTrade[] = [];

  constructor(
    private readonly place: Pick<LogPosition, 'instrument' | 'pass'>,
    private readonly log: LogWriter,
  ) {
    this.book = new PushedBook(place, log);
    this.isLive = place.pass === 0;
    this.tradeCount = this.isLive ? new TradeCount(place, log) : undefined;
    this.hasLiquidations = place.instrument.channels.includes('liquidation');
  }

  get needsSnapshot(): boolean {
    return this.book.needsPush || this.wantsTrades || this.tradeCount?.needsTrades === true;
  }

  /** Not needed: a trade subscription starts with a backlog, so a live one is never silent. */
  readonly isTradeQuiet = false;

  channelOf(message: HyperliquidMessage): TimedChannel | undefined {
    if (message.type === 'context') return 'context';
    if (message.type === 'trades') return message.isAnswer ? undefined : 'trade';
    return message.type === 'book' && message.isAnswer !== true ? 'book' : undefined;
  }

  accept(message: HyperliquidMessage): void {
    if (isPushed(message)) this.heard();
    switch (message.type) {
      case 'ignored':
        return;
      case 'rejected':
        return this.reject(message.reason);
      case 'book':
        return this.takeBook(message);
      case 'best':
        return this.count(timeFault(message.timeMs, this.log.clockMs), () => this.book.takeBest(message));
      case 'candle':
        return this.tradeCount?.candle(message);
      case 'trades':
        return message.isAnswer ? this.takeAnswer(message) : this.takeEach(message.trades, (trade) => this.takeTrade(trade));
      case 'funding':
        return this.takeEach(message.payments, (payment) => this.takePayment(payment));
      case 'liquidations':
        if (!this.hasLiquidations) return this.reject('unknown_message');
        return this.takeEach(message.liquidations, (liquidation) => this.takeLiquidation(liquidation));
      case 'context':
        return this.takeContext(message);
    }
  }

  tick(): void {
    this.book.tick();
    this.tradeCount?.tick(this.isQuiet);
    if (this.isQuiet) this.wantsTrades = true;
  }

  overflowed(): void {
    this.book.lose('overflow', this.log.clockMs);
  }

  finish(): void {
    this.book.finish();
    this.ended();
  }

  ended(): void {
    this.tradeCount?.ended();
  }

  private get isQuiet(): boolean {
    return this.isLive && this.heardMs !== undefined && this.log.clockMs - this.heardMs > QUIET_MS;
  }

  private heard(): void {
    if (this.isQuiet) this.wantsTrades = true;
    this.heardMs = this.log.clockMs;
  }

  /** If the oldest of these recent trades is unknown, those between it and the last known one are missing. */
  private takeAnswer({ trades }: TradeFrame): void {
    this.wantsTrades = false;
    const known = [...this.newest];
    this.takeEach(trades, (trade) => this.takeTrade(trade));
    const oldest = oldestOf(trades.filter(isAccepted));
    if (oldest === undefined || known.some(({ id }) => id === oldest.id)) return;
    const before = newestOf(known.filter(({ timeMs }) => timeMs <= oldest.timeMs));
    if (before !== undefined) writeTradeGap(this.place, this.log, { startMs: before.timeMs, endMs: oldest.timeMs, lastVenueId: before.id });
  }

  private takeBook(push: WholeBook): void {
    this.count(timeFault(push.timeMs, this.log.clockMs) ?? this.book.take(push), () => undefined);
  }

  /** A trade rejected for its time may be sent again with a valid one. */
  private takeTrade(trade: HyperliquidTrade): void {
    const { timeMs, id, price, size, aggressorSide } = trade;
    if (this.isLive && timeFault(timeMs, this.log.clockMs) !== undefined) this.wantsTrades = true;
    this.count(this.faultOf(timeMs, id), () => {
      this.tradeCount?.trade(timeMs, id);
      this.newest.push(trade);
      if (this.newest.length > NEWEST_MAX) this.newest.splice(0, NEWEST_MAX / 2);
      this.log.trade({ venueId: id, exchangeTsMs: timeMs, price, size, aggressorSide });
    });
  }

  private takePayment({ timeMs, rate }: FundingPayment): void {
    const venueId = `funding-${timeMs}`;
    this.count(this.faultOf(timeMs, venueId), () => this.log.context({ venueId, fundingRate: rate }, timeMs));
  }

  private takeLiquidation({ timeMs, id, positionSide, price, size }: SimulatedLiquidation): void {
    const facts = { venueId: id, exchangeTsMs: timeMs, positionSide, price, size, provenance: 'venue_reported' } as const;
    this.count(this.faultOf(timeMs, `liquidation-${id}`), () => this.log.liquidation(facts));
  }

  private takeContext({ facts }: AssetContext): void {
    this.log.context({ venueId: '', ...facts });
  }

  private faultOf(timeMs: number, id: string): RejectionReason | undefined {
    return timeFault(timeMs, this.log.clockMs) ?? (this.knownIds.add(id) ? undefined : 'duplicate');
  }

  private takeEach<Row extends { readonly type: string }>(rows: readonly (Row | NotAccepted)[], take: (row: Row) => void): void {
    for (const row of rows) {
      if (isAccepted(row)) take(row);
      else if (row.type === 'rejected') this.reject(row.reason);
    }
  }

  private count(fault: RejectionReason | undefined, take: () => void): void {
    if (fault === undefined) take();
    else this.reject(fault);
  }

  private reject(reason: RejectionReason): void {
    this.rejections[reason]++;
  }
}

function oldestOf(trades: readonly HyperliquidTrade[]): HyperliquidTrade | undefined {
  return trades.reduce<HyperliquidTrade | undefined>(
    (oldest, trade) => (oldest === undefined || trade.timeMs < oldest.timeMs ? trade : oldest),
    undefined,
  );
}

function newestOf(trades: readonly HyperliquidTrade[]): HyperliquidTrade | undefined {
  return trades.reduce<HyperliquidTrade | undefined>(
    (newest, trade) => (newest === undefined || trade.timeMs >= newest.timeMs ? trade : newest),
    undefined,
  );
}

function isPushed(message: HyperliquidMessage): boolean {
  if (message.type === 'ignored' || message.type === 'funding') return false;
  return !((message.type === 'book' || message.type === 'trades') && message.isAnswer === true);
}

function isAccepted<Row extends { readonly type: string }>(row: Row | NotAccepted): row is Row {
  return row.type !== 'ignored' && row.type !== 'rejected';
}
