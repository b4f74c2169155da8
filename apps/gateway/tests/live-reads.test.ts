import { brotliDecompressSync } from 'node:zlib';
import type { marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { waitUntil } from '@market-state/testing';
import { createLiveMarkets } from '../src/clients/live-market-data';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { SIMULATED_SYMBOL as SYMBOL } from './stand-in/data-plane';
import { createFollowedMarkets } from './stand-in/followed-markets';
import { CHANNELS, VENUE } from './stand-in/live-market';
import { MarketEvents } from './stand-in/market-events';

const DATA = '/api/public/data';
const READS = [
  '/book/l2/latest',
  '/book/l2/latest?depth=25',
  '/trades/latest?limit=5',
  '/trades/latest?limit=1000',
  '/context/active-asset',
  '/liquidations/context?window_seconds=3600',
  '/status/freshness',
].map((path) => `${DATA}${path}${path.includes('?') ? '&' : '?'}symbol=${SYMBOL}`);

describe('reads of now', () => {
  let booted: BootedGateway;
  const events = new MarketEvents(SYMBOL);
  const requested = () => booted.dataPlane.requestIds().length;
  const report = (event: ReturnType<MarketEvents['trade']>) => booted.dataPlane.markets.report(event);

  /** Waits until reads need no upstream call. */
  async function untilWarm(): Promise<void> {
    await booted.until(async () => {
      const before = requested();
      for (const path of READS) await booted.keyed(path);
      return requested() === before;
    });
  }

  beforeAll(async () => {
    booted = await bootGateway();
    const market = booted.dataPlane.markets.open(SYMBOL, VENUE);
    market.apply(events.connected(CHANNELS));
    for (const event of [events.book(100), events.trade(100), events.context({ markPrice: '100.10' }), events.liquidation(99)])
      market.apply(event);
    await untilWarm();
  });
  afterAll(() => booted.close());

  it('take no unary call once their market is followed, and one stream serves them all', async () => {
    const before = requested();
    for (const path of READS) {
      const first = await booted.keyed(path);
      const tag = String(first.headers['etag']);
      expect([first.status, (await booted.keyed(path, { headers: { 'if-none-match': tag } })).status]).toEqual([200, 304]);
      const coded = await booted.keyed(path, { headers: { 'accept-encoding': 'br' } });
      expect(brotliDecompressSync(coded.bytes)).toEqual(first.bytes);
    }
    expect(requested()).toBe(before);
    expect(booted.dataPlane.markets.followerTotal()).toBe(1);
  });

  it('say what was written last, as the data plane says it when it is asked', async () => {
    const before = requested();
    const written = [
      ...[events.trade(101), events.book(102), events.context({ markPrice: '102.25', openInterest: '7' }), events.liquidation(103)],
      ...[events.gap('gap_1'), events.book(104, 3), events.trade(105), events.gap('gap_2'), events.trade(106)],
    ];
    const warm: unknown[] = [];
    for (const [at, event] of written.entries()) {
      report(event);
      const isReported = async () => {
        const freshness = (await booted.keyed(`${DATA}/status/freshness?symbol=${SYMBOL}`)).json<{ as_of_utc: string }>();
        return Date.parse(freshness.as_of_utc) === event.receivedTsMs;
      };
      await booted.until(isReported);
      if (at % 2 === 0) warm.push(await Promise.all(READS.map(async (path) => (await booted.keyed(path)).json())));
    }
    expect(requested()).toBe(before);
    expect(new Set(warm.map((answers) => JSON.stringify(answers))).size).toBe(warm.length);

    booted.dataPlane.markets.setCut(true);
    await booted.until(() => booted.dataPlane.markets.followerTotal() === 0);
    await booted.until(async () => {
      const start = requested();
      await booted.keyed(READS[0] ?? '');
      return requested() > start;
    });
    const cold = await Promise.all(READS.map(async (path) => (await booted.keyed(path)).json()));
    expect(cold).toEqual(warm.at(-1));
    booted.dataPlane.markets.setCut(false);
    await untilWarm();
  });

  it('are asked for when the data plane has said nothing for two seconds, and no longer once it speaks', async () => {
    booted.dataPlane.markets.setMute(true);
    await booted.until(async () => {
      const start = requested();
      const { status } = await booted.keyed(READS[0] ?? '');
      expect(status).toBe(200);
      return requested() > start;
    });
    booted.dataPlane.markets.setMute(false);
    await untilWarm();
  });

  it('of the gap ledger are requested again once a gap was reported, and cached when the ledger has it', async () => {
    const path = `${DATA}/gaps?symbol=${SYMBOL}&limit=60`;
    booted.dataPlane.markets.readLedger(SYMBOL);
    await booted.until(async () => {
      const start = requested();
      await booted.keyed(path);
      return requested() === start;
    });
    booted.dataPlane.markets.report(events.gap('gap_3'));
    const before = requested();
    await booted.until(async () => {
      await booted.keyed(path);
      return requested() > before;
    });
    booted.dataPlane.markets.readLedger(SYMBOL);
    await booted.until(async () => {
      const start = requested();
      await booted.keyed(path);
      return requested() === start;
    });
  });

  it('of a book that is out of step, and of more levels than a log has, are asked for', async () => {
    const before = requested();
    await booted.keyed(`${DATA}/book/l2/latest?symbol=${SYMBOL}&depth=26`);
    expect(requested()).toBe(before + 1);
  });
});

test('a market without a read for a minute is released, and followed again on the next', async () => {
  let clockMs = 0;
  jest.useFakeTimers({
    doNotFake: ['Date', 'hrtime', 'performance', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'],
  });
  const source = createFollowedMarkets();
  source.open(SYMBOL, VENUE);
  const pushes = {
    call: {
      followMarket: ({ symbol }: marketData.FollowMarketRequest, { signal }: { signal: AbortSignal }) => source.follow(symbol, signal),
    },
  } as unknown as GrpcClient<marketData.MarketDataServiceService>;
  const markets = createLiveMarkets({ pushes, logger: silentLogger(), now: () => 0, monotonicMs: () => clockMs });
  const whole = () => waitUntil('the market', () => markets.now(SYMBOL) !== null);
  expect(markets.now(SYMBOL)).toBeNull();
  markets.subscribe(SYMBOL);
  await whole();
  for (const passedMs of [30_000, 30_000, 30_000]) {
    clockMs += passedMs;
    markets.now(SYMBOL);
    jest.advanceTimersByTime(5_000);
  }
  expect(source.followerTotal()).toBe(1);
  clockMs += 60_001;
  jest.advanceTimersByTime(5_000);
  await waitUntil('no follower', () => source.followerTotal() === 0);
  markets.subscribe(SYMBOL);
  await whole();
  await markets.close();
  expect(source.followerTotal()).toBe(0);
  jest.useRealTimers();
});
