import { isDeepStrictEqual } from 'node:util';
import { marketData } from '@market-state/contracts';
import { followStream } from '@market-state/grpc';
import {
  carryCandles,
  FollowedMarket,
  readBook,
  readContext,
  readFreshness,
  readLiquidations,
  readTrades,
  SymbolMarket,
} from '@market-state/live-market';
import { waitUntil } from '@market-state/testing';
import fc from 'fast-check';
import type { TailListener } from '../src/market/tail';
import { venueOf } from '../src/market/venues';
import type { RpcDeps } from '../src/rpc/deps';
import { followMarket } from '../src/rpc/follow-market';
import { processTimer } from '../src/window/paced-frames';
import { LogFixture, START_MS, SYMBOL } from './log-fixture';
import { failureOf, startDataPlaneSystem, type System } from './rpc-harness';

let system: System;
const fixture = new LogFixture();
let clockMs = START_MS;

beforeAll(async () => {
  system = await startDataPlaneSystem();
  await system.play(fixture.connected(clockMs, ['book', 'trade', 'context', 'liquidation']).tick(clockMs));
});

afterAll(() => system.close());

function follow() {
  const faults: unknown[] = [];
  const followed = new FollowedMarket({ symbol: SYMBOL, wallNowMs: Date.now, onUnreadable: (error) => faults.push(error) });
  const frames: string[] = [];
  const stream = followStream<marketData.FollowMarketResponse>({
    open: (signal) => system.call.followMarket({ symbol: SYMBOL }, { signal }),
    onMessage(message) {
      frames.push(message.frame?.$case ?? '');
      followed.take(message);
    },
  });
  return { followed, frames, faults, close: () => stream.close() };
}

const CANDLES = [60_000, 300_000].map((intervalMs) => ({
  symbol: SYMBOL,
  ...{ fromMs: 0, toMs: 0, pageSize: 1_000, pageToken: '', intervalMs, asOfMs: 0 },
}));
const said = ({ venue, sourceKind, candles }: marketData.ListCandlesResponse) => ({ venue, sourceKind, candles });

/** Candles read once and then carried on from the followed market. */
class CarriedCandles {
  private readonly read = new Map<object, { readonly mark: number; readonly list: marketData.ListCandlesResponse }>();
  carriedTotal = 0;

  /** Carried candles where possible, otherwise the data plane's, which are carried on from then. */
  of(followed: FollowedMarket, requested: readonly marketData.ListCandlesResponse[]): unknown[] {
    const live = followed.current();
    return CANDLES.map((request, at) => {
      const [before, theirs] = [this.read.get(request), requested[at]];
      const isSame = before !== undefined && before.mark === followed.ledgerRevision();
      const carried = live === null || !isSame ? null : carryCandles(live.market, live.venue, request, before.list);
      if (carried !== null) {
        this.carriedTotal += carried.candles.some((candle) => !before?.list.candles.includes(candle)) ? 1 : 0;
        return said(carried);
      }
      this.read.delete(request);
      const mark = followed.ledgerRevision();
      if (theirs?.standing !== undefined && mark !== null) this.read.set(request, { mark, list: theirs });
      return theirs === undefined ? null : said(theirs);
    });
  }
}

/** Every response that needs no request; a book only if there is one. */
function answersOf(followed: FollowedMarket) {
  const live = followed.current();
  if (live === null) return null;
  const { market, venue } = live;
  return {
    book: readBook(market, venue, { depth: 25 }),
    top: readBook(market, venue, { depth: 1 }),
    trades: readTrades(market, venue, { limit: 1_000 }),
    context: readContext(market, venue),
    liquidations: readLiquidations(market, venue, { windowSeconds: 3_600 }),
    newest: readLiquidations(market, venue, { windowSeconds: 30 }),
    freshness: readFreshness(market, venue),
  };
}

/** Same, from the data plane. */
async function requested() {
  const { call } = system;
  const bookOf = (depth: number) => call.getBook({ symbol: SYMBOL, depth }).catch(() => null);
  const [book, top, trades, context, liquidations, newest, freshness] = await Promise.all([
    bookOf(25),
    bookOf(1),
    call.listTrades({ symbol: SYMBOL, limit: 1_000 }),
    call.getActiveAsset({ symbol: SYMBOL }),
    call.getLiquidations({ symbol: SYMBOL, windowSeconds: 3_600 }),
    call.getLiquidations({ symbol: SYMBOL, windowSeconds: 30 }),
    call.getFreshness({ symbol: SYMBOL }),
  ]);
  return { book, top, trades, context, liquidations, newest, freshness };
}

/** An unsynchronized book is requested from the feed; the follower then has none. */
const inStep = (answers: Awaited<ReturnType<typeof requested>>) => {
  const whole = answers.book?.sync === marketData.BookSync.IN_SYNC;
  return whole ? answers : { ...answers, book: null, top: null };
};

/** Compares both, with a tick before each attempt. */
async function agree(followed: FollowedMarket, carried: CarriedCandles): Promise<void> {
  let last: unknown[] = [];
  for (let look = 0; look < 40; look += 1) {
    await system.play(fixture.tick((clockMs += 1)));
    const candles = await Promise.all(CANDLES.map((request) => system.call.listCandles(request)));
    const theirs = { ...inStep(await requested()), candles: candles.map(said) };
    const answers = answersOf(followed);
    const mine = answers === null ? null : { ...answers, candles: carried.of(followed, candles) };
    last = [mine, theirs];
    if (isDeepStrictEqual(mine, theirs)) break;
  }
  expect(last[0]).toEqual(last[1]);
}

const id = fc.integer({ min: 1, max: 40 }).map(String);
const price = fc.integer({ min: 99_000, max: 101_000 }).map((cents) => String(cents / 100));
/** Most come in order, some up to two minutes late. */
const late = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 120_000 }) });
const reasons = fc.constantFrom('sequence_gap' as const, 'disconnected' as const, 'log_lost' as const);
const channels = fc.constantFrom('book' as const, 'trade' as const, undefined);
const gapId = fc.integer({ min: 1, max: 6 }).map((n) => `gap_${n}`);

type Step = (at: number) => void;
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(id, price, late).map(
    ([venueId, at, behind]): Step =>
      (now) =>
        void fixture.trade(now - behind, venueId, at, '0.25'),
  ),
  fc.tuple(id, price).map(
    ([venueId, at]): Step =>
      (now) =>
        void fixture.book(now, venueId, at, `${Number(at) + 0.5}`),
  ),
  fc.tuple(fc.record({ markPrice: price, oraclePrice: price, openInterest: price, fundingRate: price }, { requiredKeys: [] }), late).map(
    ([values, behind]): Step =>
      (now) =>
        void fixture.context(now - behind, values),
  ),
  fc.tuple(fc.oneof(id, fc.constant('')), price, late).map(
    ([venueId, at, behind]): Step =>
      (now) =>
        void fixture.liquidation(now - behind, venueId, { price: at, size: '2', positionSide: 'long', provenance: 'proxy' }),
  ),
  fc.tuple(gapId, channels, reasons, fc.boolean()).map(
    ([gap, channel, reason, isOpen]): Step =>
      (now) =>
        void fixture.status(now, { type: 'gap', gapId: gap, channel, startMs: now - 50, endMs: isOpen ? 0 : now, reason }),
  ),
  gapId.map(
    (gap): Step =>
      (now) =>
        void fixture.status(now, { type: 'gap', gapId: gap, startMs: now - 50, endMs: now, reason: 'arrived_late' }),
  ),
  gapId.map(
    (gap): Step =>
      (now) =>
        void fixture.status(now, { type: 'resynced', gapId: gap, channel: 'book', startMs: now - 50, endMs: now }),
  ),
  gapId.map(
    (gap): Step =>
      (now) =>
        void fixture.status(now, { type: 'seam', gapId: gap, startMs: now - 5, endMs: now }),
  ),
  fc.constantFrom<Step>(
    (now) => void fixture.status(now, { type: 'disconnected', reason: 'closed' }),
    (now) => void fixture.connected(now, ['book', 'trade', 'context']),
    (now) => void fixture.connected(now, ['book', 'trade', 'context', 'liquidation']),
    () => void fixture.loseLog(3),
  ),
);

/** Guarantees three of each, which a random draw may lack. */
const enough: readonly Step[] = ['41', '42', '43'].flatMap((venueId): Step[] => [
  (now) => void fixture.trade(now, venueId, '100000', '0.25'),
  (now) => void fixture.liquidation(now, venueId, { price: '100000', size: '2', positionSide: 'long', provenance: 'proxy' }),
  (now) => void fixture.status(now, { type: 'gap', gapId: `gap_${venueId}`, startMs: now - 50, endMs: now, reason: 'sequence_gap' }),
]);

test('a follower gives the same responses as the data plane, field by field, from any starting point', async () => {
  const first = follow();
  const carried = new CarriedCandles();
  let seen = { trades: 0, gaps: 0, liquidations: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { minLength: 1, maxLength: 40 }),
      fc.array(price, { minLength: 4, maxLength: 6 }),
      async (drawn, prices) => {
        const later = follow();
        for (const step of drawn) step((clockMs += 20));
        await agree(first.followed, carried);
        await agree(later.followed, new CarriedCandles());
        expect([...first.faults, ...later.faults]).toEqual([]);
        await waitUntil('ledger read', () => [first, later].every(({ followed }) => followed.ledgerRevision() !== null));
        // In order, across the end of a minute: candles are read, then carried on.
        await agree(first.followed, carried);
        for (const [at, tradePrice] of prices.entries()) {
          fixture.trade((clockMs += 20_000), `${clockMs}`, tradePrice, '0.5');
          if (at % 2 === 1) await agree(first.followed, carried);
        }
        await later.close();
        const answers = answersOf(first.followed);
        const gaps = answers?.freshness?.channels.map(({ gapTotal24h }) => gapTotal24h) ?? [];
        seen = {
          trades: Math.max(seen.trades, answers?.trades.trades.length ?? 0),
          gaps: Math.max(seen.gaps, ...gaps),
          liquidations: Math.max(seen.liquidations, answers?.liquidations.eventTotal ?? 0),
        };
      },
    ),
    {
      numRuns: Number(process.env['PROPERTY_RUNS'] ?? 4),
      // The first book arrives while candles are carried on: the rows are complete from there.
      examples: [
        [[...enough], ['100000', '100010', '99990', '100020']],
        [[(now) => void fixture.book(now, '1', '100000', '100000.5')], ['99990', '99991', '99992', '99993', '99994', '99995']],
      ],
    },
  );
  await first.close();
  expect(Math.min(seen.trades, seen.gaps, seen.liquidations, carried.carriedTotal)).toBeGreaterThan(2);
});

test('a follower that is too slow gets the whole market again, and ends up with it', async () => {
  const market = new SymbolMarket(SYMBOL, Date.now);
  const listeners = new Set<TailListener>();
  const tail = {
    marketOf: () => market,
    listen(_symbol: string, listener: TailListener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as RpcDeps['tail'];
  const reported = (written: LogFixture): void => {
    const entries = written.take().map((entry, at) => ({ ...entry, event: written.events[at] }));
    for (const { event } of entries) if (event !== undefined) market.apply(event);
    for (const listener of listeners) listener.onEntries(entries);
    written.events.length = 0;
  };
  const log = new LogFixture();
  reported(log.connected(START_MS).trade(START_MS, '1', '100', '1'));
  const stop = new AbortController();
  const venues = { of: () => venueOf({ market, reported: undefined, row: undefined }) } as unknown as RpcDeps['venues'];
  const frames = followMarket({ tail, venues, timer: processTimer } as RpcDeps, { symbol: SYMBOL }, stop);
  const follower = new FollowedMarket({ symbol: SYMBOL, wallNowMs: Date.now, onUnreadable: (error) => expect(error).toBeUndefined() });
  const cases: string[] = [];
  const takeUntil = async (name: string): Promise<void> => {
    for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
      follower.take(next.value);
      cases.push(next.value.frame?.$case ?? '');
      if (cases.at(-1) === name) return;
    }
  };
  await takeUntil('whole');
  // The reader pauses while the backlog overflows.
  for (let trade = 2; trade < 60_000; trade += 1) log.trade(START_MS + trade, `a-long-id-of-a-trade-${trade}`, '100', '1');
  reported(log);
  await takeUntil('whole');
  expect(cases.filter((name) => name === 'start')).toHaveLength(2);
  expect(follower.current()?.market.tape.newest(1_000)).toEqual(market.tape.newest(1_000));
  reported(log.trade(START_MS + 70_000, 'last', '101', '1'));
  await takeUntil('entries');
  expect(follower.current()?.market.tape.newest(1)[0]?.venueId).toBe('last');
  stop.abort();
  await frames.return(undefined);
  expect(listeners.size).toBe(0);
});

test('an idle stream sends heartbeats, and an unserved symbol is refused', async () => {
  const { frames, close } = follow();
  await waitUntil('heartbeats', () => frames.filter((frame) => frame === 'heartbeat').length >= 2);
  await close();
  const refused = (async () => {
    for await (const frame of system.call.followMarket({ symbol: 'XYZUSD-PERP' })) return frame;
    return undefined;
  })();
  expect((await failureOf(refused)).reason).toBe('unknown_symbol');
});
