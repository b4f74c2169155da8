import fc from 'fast-check';
import { instrumentRows, LivePlayer, type LiveStart, LogTailScan, type MarketEvent } from '../src/index';
import { DAY_MS, line } from './messages';

/** PROPERTY_RUNS, or 10: each case is a whole market with three feeds. */
const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 10) };
const instrument = instrumentRows.find(({ feed }) => feed === 'simulated');
if (instrument === undefined) throw new Error('the table has no simulated instrument');
const row = instrument;
const coin = row.venueInstrument;
const first: LiveStart = { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: DAY_MS };

/** Sent to all connections simultaneously. */
interface Sent {
  readonly atMs: number;
  readonly frame: object;
}

function bookFrame(atMs: number, price: number): object {
  const level = (px: number) => [{ px: String(px), sz: '1', n: 1 }];
  return { channel: 'l2Book', data: { coin, time: DAY_MS + atMs, levels: [level(price), level(price + 1)] } };
}

function tradeFrame(atMs: number, tid: number): object {
  const trade = { coin, side: 'B', px: '100', sz: '1', time: DAY_MS + atMs, hash: '0x0', tid, users: ['0x0', '0x1'] };
  return { channel: 'trades', data: [trade] };
}

/** Repeated text: only its time distinguishes two contexts. */
function contextFrame(turn: number): object {
  const ctx = {
    funding: '0.00001',
    openInterest: '12.5',
    oraclePx: '100.4',
    markPx: String(100 + (turn % 3)),
    midPx: '100.5',
    dayNtlVlm: '1.0',
  };
  return { channel: 'activeAssetCtx', data: { coin, ctx } };
}

function liquidationFrame(atMs: number, id: number): object {
  return { channel: 'simLiquidations', data: [{ coin, time: DAY_MS + atMs, id, positionSide: 'long', px: '99', sz: '2' }] };
}

/** Steps of 100 ms. */
function marketOf(trades: readonly number[]): Sent[] {
  let tid = 0;
  return trades.flatMap((count, step): Sent[] => {
    const atMs = step * 100;
    const frames = [bookFrame(atMs, 100 + (step % 7)), ...Array.from({ length: count }, () => tradeFrame(atMs, (tid += 1)))];
    if (step % 11 === 5) frames.push(contextFrame(step));
    if (step % 23 === 7) frames.push(liquidationFrame(atMs, step));
    return frames.map((frame) => ({ atMs, frame }));
  });
}

/** Receives the market over its own connection with varying delays, and writes or stands by. */
class Feed {
  readonly player = new LivePlayer(row, first);
  private next = -1;
  isWriting = false;

  constructor(
    private readonly market: readonly Sent[],
    private readonly lagsMs: readonly number[],
  ) {}

  standBy(): void {
    this.player.standBy();
  }

  connect(atMs: number): void {
    this.player.connected(DAY_MS + atMs);
    this.next = this.market.findIndex((sent) => sent.atMs >= atMs);
  }

  lose(atMs: number): void {
    this.player.disconnected(DAY_MS + atMs, 'lost');
    this.next = -1;
  }

  /** @returns entries to write */
  hearUntil(ms: number): MarketEvent[] {
    for (; this.next >= 0 && this.next < this.market.length; this.next += 1) {
      const { atMs, frame } = this.market[this.next] as Sent;
      const receivedMs = atMs + (this.lagsMs[this.next % this.lagsMs.length] ?? 0);
      if (receivedMs > ms) break;
      this.player.accept(DAY_MS + receivedMs, line(receivedMs, JSON.stringify(frame)));
    }
    this.player.advanceTo(DAY_MS + ms);
    if (this.isWriting) return this.player.take().map(({ event }) => event);
    this.player.keep();
    return [];
  }

  takeOver(log: MarketEvent[], nowMs: number): boolean {
    this.hearUntil(nowMs);
    this.isWriting = true;
    const isWhole = this.player.takeOver(behind(log, nowMs));
    log.push(...this.player.take().map(({ event }) => event));
    return isWhole;
  }
}

function tailOf(log: readonly MarketEvent[]) {
  const scan = new LogTailScan();
  log.forEach((event) => scan.accept(event));
  return scan.tail();
}

function behind(log: readonly MarketEvent[], nowMs: number): LiveStart {
  const last = log.at(-1);
  if (last === undefined) return { ...first, clockMs: DAY_MS + nowMs };
  const openingStartMs = Math.max(0, ...log.filter(({ kind }) => kind !== 'tick').map(({ exchangeTsMs }) => exchangeTsMs));
  return {
    epoch: 1,
    firstOrdinal: last.ordinal + 1,
    opening: 'feed_down',
    openingStartMs,
    clockMs: Math.max(DAY_MS + nowMs, last.receivedTsMs),
    tail: tailOf(log),
  };
}

function said(event: MarketEvent): string | undefined {
  if (event.kind === 'feed_status') return undefined;
  if (event.kind === 'tick') return `tick ${event.feedClockMs}`;
  if (event.kind === 'book') return `book ${event.venueId} ${event.bids[0]?.price}`;
  if (event.kind === 'context') return `context ${event.markPrice}`;
  return `${event.kind} ${event.venueId}`;
}

function saidOf(log: readonly MarketEvent[], kind: MarketEvent['kind']): (string | undefined)[] {
  return log.filter((event) => event.kind === kind).map(said);
}

const END_MS = 40_000;
const lags = fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 40 });
const scene = fc.record({
  trades: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: END_MS / 100, maxLength: END_MS / 100 }),
  lags: fc.tuple(lags, lags, lags),
  /** End times of the first two feeds, and the share of their last output that is lost. */
  ends: fc.tuple(fc.integer({ min: 8_000, max: 14_000 }), fc.integer({ min: 24_000, max: 28_000 })),
  unwritten: fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 30 })),
  /** Delay until the next one notices. */
  noticed: fc.tuple(fc.integer({ min: 0, max: 9_000 }), fc.integer({ min: 0, max: 9_000 })),
});
type Scene = typeof scene extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function expectLog(log: readonly MarketEvent[]): void {
  expect(log.map(({ ordinal }) => ordinal)).toEqual(log.map((_, index) => index + 1));
  const clocks = log.map(({ receivedTsMs }) => receivedTsMs);
  expect(clocks).toEqual([...clocks].sort((a, b) => a - b));
  const ticks = log.flatMap((event) => (event.kind === 'tick' ? [event.feedClockMs] : []));
  expect(new Set(ticks).size).toBe(ticks.length);
  for (const kind of ['book', 'trade', 'liquidation'] as const) {
    const ids = log.filter((event) => event.kind === kind).map(({ venueId }) => venueId);
    expect(new Set(ids).size).toBe(ids.length);
  }
}

/** Log left by three consecutive writers, the later ones connected since `sinceMs`. */
function relay(
  { trades, lags: [one, two, three], ends: [firstEndMs, secondEndMs], unwritten, noticed }: Scene,
  sinceMs: readonly [number, number],
) {
  const market = marketOf(trades);
  const [writer, second, third] = [new Feed(market, one), new Feed(market, two), new Feed(market, three)];
  writer.isWriting = true;
  writer.connect(0);
  const log: MarketEvent[] = [];
  log.push(...cut(writer.hearUntil(firstEndMs), unwritten[0]));
  second.standBy();
  second.connect(sinceMs[0]);
  const joins = [second.takeOver(log, firstEndMs + noticed[0])];
  log.push(...cut(second.hearUntil(secondEndMs), unwritten[1]));
  third.standBy();
  third.connect(sinceMs[1]);
  joins.push(third.takeOver(log, secondEndMs + noticed[1]));
  log.push(...third.hearUntil(END_MS + 1_000));
  return { market, log, joins };
}

function cut(events: readonly MarketEvent[], unwritten: number): readonly MarketEvent[] {
  return events.slice(0, Math.max(0, events.length - unwritten));
}

it('standby feeds continue the log from any cut: except for receive times it equals the log of one uninterrupted feed', () => {
  fc.assert(
    fc.property(scene, (drawn) => {
      const { market, log, joins } = relay(drawn, [300, 500]);
      expect(joins).toEqual([true, true]);
      expectLog(log);
      expect(log.flatMap((event) => (event.kind === 'feed_status' ? [event.status.type] : []))).toEqual(['connected']);
      const whole = new Feed(market, [0]);
      whole.isWriting = true;
      whole.connect(0);
      const expected = whole.hearUntil(END_MS + 1_000);
      for (const kind of ['book', 'trade', 'context', 'liquidation', 'tick'] as const)
        expect(saidOf(log, kind)).toEqual(saidOf(expected, kind));
    }),
    RUNS,
  );
});

it('a feed that was connected too late to have heard all goes on behind a gap, in which all is that was missed', () => {
  let gaps = 0;
  fc.assert(
    fc.property(scene, fc.integer({ min: 0, max: 6_000 }), (drawn, lateMs) => {
      const connectedMs = drawn.ends[0] + Math.min(lateMs, drawn.noticed[0]);
      const { market, log, joins } = relay(drawn, [connectedMs, drawn.ends[1] - 8_000]);
      expect(joins).toEqual([false, true]);
      expectLog(log);
      const spans = spansOf(log);
      expect(spans.map(({ reason }) => reason)).toEqual(['feed_down']);
      const logged = new Set(log.filter(({ kind }) => kind === 'trade').map(({ venueId }) => venueId));
      const missed = market.flatMap(({ atMs, frame }) =>
        tradesIn(frame)
          .filter((id) => !logged.has(id))
          .map(() => DAY_MS + atMs),
      );
      gaps += missed.length;
      expect(missed.filter((ms) => !spans.some(({ startMs, endMs }) => startMs <= ms && ms <= endMs))).toEqual([]);
    }),
    RUNS,
  );
  expect(gaps).toBeGreaterThan(0);
});

it('what another feed left open in the log ends with the first book, and what this one missed since then is reported', () => {
  const market = marketOf(Array.from({ length: 400 }, () => 1));
  const [writer, next] = [new Feed(market, [10]), new Feed(market, [40])];
  writer.isWriting = true;
  next.standBy();
  writer.connect(0);
  next.connect(0);
  const log = writer.hearUntil(10_000);
  writer.lose(10_000);
  log.push(...writer.hearUntil(11_000));
  next.hearUntil(12_500);
  next.lose(12_500);
  next.hearUntil(13_000);
  expect(next.takeOver(log, 13_200)).toBe(true);
  next.connect(14_000);
  log.push(...next.hearUntil(30_000));
  expectLog(log);
  const spans = spansOf(log);
  expect(spans.map(({ reason, startMs, isResynced }) => [reason, startMs - DAY_MS, isResynced])).toEqual([
    ['disconnected', 7_900, true],
    ['disconnected', 10_400, false],
  ]);
  const logged = new Set(log.filter(({ kind }) => kind === 'trade').map(({ venueId }) => Number(venueId)));
  const missed = Array.from({ length: 300 }, (_, index) => index + 1).filter((id) => !logged.has(id));
  expect(missed).toEqual(Array.from({ length: missed.length }, (_, index) => (missed[0] ?? 0) + index));
  expect([missed.length > 0, missed.every((id) => id * 100 > 12_400 && id * 100 < 14_200)]).toEqual([true, true]);
});

it('a log in which nothing was written begins with what the feed that takes it has heard', () => {
  const feed = new Feed(marketOf(Array.from({ length: 100 }, () => 1)), [20]);
  feed.standBy();
  feed.connect(0);
  const log: MarketEvent[] = [];
  expect(feed.takeOver(log, 4_000)).toBe(false);
  log.push(...feed.hearUntil(8_000));
  expectLog(log);
  expect(log.flatMap((event) => (event.kind === 'feed_status' ? [event.status.type] : []))).toEqual(['connected']);
  expect(log.filter(({ kind }) => kind === 'trade').map(({ venueId }) => Number(venueId))).toEqual(
    Array.from({ length: 80 }, (_, index) => index + 1),
  );
});

function tradesIn(frame: object): string[] {
  const { channel, data } = frame as { channel: string; data: { tid: number }[] };
  return channel === 'trades' ? data.map(({ tid }) => String(tid)) : [];
}

/** Final state of the all-channel gaps. */
function spansOf(log: readonly MarketEvent[]) {
  const spans = new Map<string, { reason: string; startMs: number; endMs: number; isResynced: boolean }>();
  for (const event of log) {
    if (event.kind !== 'feed_status') continue;
    const { status } = event;
    if (status.type === 'gap') {
      const { reason, startMs, endMs } = status;
      spans.set(status.gapId, { reason, startMs, endMs: endMs === 0 ? Infinity : endMs, isResynced: false });
    } else if (status.type === 'resynced') {
      const open = spans.get(status.gapId);
      if (open !== undefined) spans.set(status.gapId, { ...open, endMs: status.endMs, isResynced: true });
    }
  }
  return [...spans.values()];
}
