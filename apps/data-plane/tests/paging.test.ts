import type { marketData } from '@market-state/contracts';
import fc from 'fast-check';
import { LogFixture, START_MS, SYMBOL } from './log-fixture';
import { failureOf, faultsOf, startDataPlaneSystem, type System } from './rpc-harness';
import { readPages, rowText } from './window-fixture';

const SEED = 771_201;
let system: System;
const fixture = new LogFixture();
let clockMs = START_MS;

/** Trades in time and late, books, past gaps reported now, and a tick. */
async function write(seed: number): Promise<void> {
  for (let index = 0; index < 5; index += 1) {
    clockMs += 7_000;
    const id = `${clockMs}${index}`;
    fixture.book(clockMs - 40, id, '100', '101').trade(clockMs - 20, id, String(100 + ((seed + index) % 9)), '1');
    if (index % 2 === 0) fixture.trade(clockMs - 15_000 - (seed % 5_000), `9${id}`, '99', '1');
    fixture.status(clockMs - 10, {
      type: 'gap',
      gapId: `gap_${id}`,
      channel: 'trade',
      startMs: clockMs - 9_000 - ((seed * 7) % 3_000),
      endMs: clockMs - 3_000,
      reason: 'sequence_gap',
    });
    fixture.tick(clockMs);
  }
  await system.play(fixture);
}

beforeAll(async () => {
  system = await startDataPlaneSystem();
  fixture
    .connected(START_MS)
    .tick(START_MS)
    .book(START_MS + 1, '1', '100', '101');
  for (let round = 0; round < 8; round += 1) await write(round);
});

afterAll(() => system.close());

const runs = { seed: SEED, numRuns: 3 };
const pageSizes = fc.integer({ min: 1, max: 40 });

test('pages of a window with concurrent writes are those of one instant: no row is repeated or left out', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 20, max: 40 }), fc.nat(1_000), async (pageSize, seed) => {
      const request = {
        startMs: START_MS,
        endMs: START_MS + 3_600_000,
        channels: ['book', 'trades', 'context', 'liquidations', 'control'],
      };
      const pages = await readPages(system.call, { ...request, pageSize }, () => write(seed));
      const rows = pages.flatMap((page) => page.rows);
      const asOfMs = pages[0]?.end.asOfMs ?? 0;
      const whole = await readPages(system.call, { ...request, asOfMs });
      expect(rows.map(rowText)).toEqual(whole.flatMap((page) => page.rows.map(rowText)));
      expect(rows.length).toBeGreaterThan(100);
      expect(pages.every(({ end }) => end.asOfMs === asOfMs)).toBe(true);
    }),
    { ...runs, numRuns: 1 },
  );
});

async function gapPages(request: Partial<marketData.ListGapsRequest>, between: () => Promise<void>): Promise<marketData.Gap[]> {
  const gaps: marketData.Gap[] = [];
  let pageToken = request.pageToken ?? '';
  do {
    const page = await system.call.listGaps({ symbol: SYMBOL, fromMs: 0, toMs: 0, pageSize: 0, asOfMs: 0, ...request, pageToken });
    gaps.push(...page.gaps);
    pageToken = page.nextPageToken;
    await between();
  } while (pageToken !== '');
  return gaps;
}

test('pages of the gap ledger come in the order of their starts, without repeat or loss, while gaps are written', async () => {
  await fc.assert(
    fc.asyncProperty(pageSizes, fc.nat(1_000), async (pageSize, seed) => {
      const before = await gapPages({ pageSize: 1_000 }, async () => undefined);
      const toMs = clockMs - 60_000;
      let writes = 0;
      const paged = await gapPages({ pageSize, toMs }, async () => {
        if ((writes += 1) <= 3) await write(seed);
      });
      const wanted = before.filter(({ startMs }) => startMs < toMs);
      expect(paged.map(({ gapId }) => gapId)).toEqual(wanted.map(({ gapId }) => gapId));
      expect(paged.map(({ startMs }) => startMs)).toEqual(paged.map(({ startMs }) => startMs).sort((a, b) => a - b));
    }),
    runs,
  );
});

test('pages of candles meet without overlap or gap while trades are written', async () => {
  await fc.assert(
    fc.asyncProperty(pageSizes, fc.constantFrom(60_000, 300_000), async (pageSize, intervalMs) => {
      const opens: number[] = [];
      let pageToken = '';
      let writes = 0;
      do {
        const page = await system.call.listCandles({
          symbol: SYMBOL,
          fromMs: 0,
          toMs: 0,
          pageSize: Math.min(pageSize, 4),
          pageToken,
          intervalMs,
          asOfMs: 0,
        });
        opens.push(...page.candles.map(({ openTsMs }) => openTsMs));
        pageToken = page.nextPageToken;
        if ((writes += 1) <= 2) await write(pageSize);
      } while (pageToken !== '');
      const [first = 0] = opens;
      expect(opens).toEqual(opens.map((_unused, index) => first + index * intervalMs));
      expect(opens.length).toBeGreaterThan(1);
    }),
    runs,
  );
});

test('the ledger as of an instant excludes gaps that were reported later, and shows one whose end was reported later as open', async () => {
  const at = clockMs + 100;
  await system.play(
    fixture
      .status(at, { type: 'gap', gapId: 'gap_then', channel: 'book', startMs: at, endMs: 0, reason: 'sequence_gap' })
      .status(at + 900, { type: 'resynced', gapId: 'gap_then', channel: 'book', startMs: at, endMs: at + 900 })
      .tick(at + 1_000),
  );
  const list = async (asOfMs: number) =>
    (await system.call.listGaps({ symbol: SYMBOL, fromMs: at, toMs: 0, pageSize: 0, pageToken: '', asOfMs })).gaps.map(
      ({ endMs, resolution }) => [endMs, resolution],
    );
  // An entry is received 5 ms after its exchange time.
  expect(await list(at + 4)).toEqual([]);
  expect(await list(at + 5)).toEqual([[0, 'open']]);
  expect(await list(at + 904)).toEqual([[0, 'open']]);
  expect(await list(at + 905)).toEqual([[at + 900, 'resynced']]);
  expect(await list(0)).toEqual([[at + 900, 'resynced']]);
  const ahead = { symbol: SYMBOL, fromMs: 0, toMs: 0, pageSize: 1, pageToken: '', asOfMs: at + 3_600_000 };
  const first = await system.call.listGaps(ahead);
  expect(first.asOfMs).toBe(at + 999);
  await system.play(
    fixture
      .status(at + 1_001, { type: 'gap', gapId: 'gap_later', channel: 'trade', startMs: at, endMs: at + 1_001, reason: 'sequence_gap' })
      .tick(at + 2_000),
  );
  const pinned = await gapPages({ asOfMs: first.asOfMs }, async () => undefined);
  expect([
    ...first.gaps,
    ...(await gapPages({ ...ahead, pageSize: 1_000, pageToken: first.nextPageToken }, async () => undefined)),
  ]).toEqual(pinned);
  expect(pinned.map(({ gapId }) => gapId)).not.toContain('gap_later');
  clockMs += 10_000;
});

test('candles as of an instant that is not recorded whole yet are as of the last that is, and stay so', async () => {
  const request = { symbol: SYMBOL, fromMs: 0, toMs: 0, pageSize: 0, pageToken: '', intervalMs: 60_000 };
  const newestMs = fixture.events.at(-1)?.exchangeTsMs ?? 0;
  const first = await system.call.listCandles({ ...request, asOfMs: newestMs + 3_600_000 });
  expect(first.asOfMs).toBe(newestMs - 1);
  await system.play(fixture.trade(newestMs - 1, '77', '1', '1').tick(newestMs + 2_000));
  expect(await system.call.listCandles({ ...request, asOfMs: first.asOfMs })).toEqual(first);
  expect((await system.call.listCandles({ ...request, asOfMs: newestMs + 3_600_000 })).candles).not.toEqual(first.candles);
});

test('a span takes the gaps that overlap it, and every fault is named', async () => {
  const base = { symbol: SYMBOL, fromMs: 0, toMs: 0, pageSize: 0, pageToken: '', asOfMs: 0 };
  expect(
    await faultsOf(system.call.listGaps({ ...base, symbol: 'x', fromMs: -1, toMs: 9e15, pageSize: 1_001, pageToken: '!', asOfMs: -1 })),
  ).toEqual(['as_of_ms', 'from_ms', 'page_size', 'page_token', 'symbol', 'to_ms']);
  expect(await faultsOf(system.call.listGaps({ ...base, fromMs: 2, toMs: 2 }))).toEqual(['to_ms']);
  expect(await failureOf(system.call.listGaps({ ...base, symbol: 'DOGEUSD-PERP' }))).toMatchObject({
    code: 'NOT_FOUND',
    reason: 'unknown_symbol',
  });
  const { nextPageToken } = await system.call.listGaps({ ...base, pageSize: 1 });
  expect(await faultsOf(system.call.listGaps({ ...base, fromMs: 5, pageToken: nextPageToken }))).toEqual(['page_token']);
});
