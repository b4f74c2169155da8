import type { AuditMeasure, Comparison } from '@market-state/market-data';
import { INCIDENT_SOURCES } from '../src/rpc/list-incidents';
import { keepRun, readLastRun } from '../src/store/audit-results';
import { SYMBOL } from './log-fixture';
import { failureOf, faultsOf, startDataPlaneSystem, type System } from './rpc-harness';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAY = Date.UTC(2026, 0, 6);
const TARGET = { symbol: SYMBOL, venue: 'binance-coinm', source: 'venue' } as const;
const EQUAL: Comparison = { comparedTotal: 60, equalTotal: 60, notComparedTotal: 0, reasons: [] };
const NOTHING: Comparison = { comparedTotal: 0, equalTotal: 0, notComparedTotal: 60, reasons: ['venue_not_reached'] };

let system: System;
beforeAll(async () => {
  system = await startDataPlaneSystem();
});
afterAll(() => system.close());

function differing(atMs: number, ours: string, theirs: string, by: string): Comparison {
  const largest = { field: 'high', atMs, ours, theirs, by };
  const span = { differsFromMs: atMs, differsToMs: atMs + MINUTE_MS };
  return { comparedTotal: 60, equalTotal: 58, notComparedTotal: 0, reasons: [], largest, ...span };
}

function keep(runMs: number, measure: AuditMeasure, comparison: Comparison): Promise<void> {
  return keepRun(system.pool, TARGET, runMs, [{ measure, fromMs: runMs - 11 * MINUTE_MS, toMs: runMs - MINUTE_MS, comparison }]);
}

const runAt = (index: number): number => DAY + DAY_MS - 20 * MINUTE_MS + index * 10 * MINUTE_MS;

test('a difference is open from the run that finds it to the first that finds the measure equal, over midnight and runs that compare nothing', async () => {
  expect(await readLastRun(system.pool, SYMBOL)).toBeUndefined();
  await keep(runAt(0), 'candles', EQUAL);
  await keep(runAt(1), 'candles', differing(runAt(1) - 5 * MINUTE_MS, '100.3', '100', '0.3'));
  await keep(runAt(2), 'candles', NOTHING);
  await keep(runAt(3), 'candles', differing(runAt(3) - 5 * MINUTE_MS, '101', '100', '1'));
  const ask = { symbol: SYMBOL, fromMs: DAY, toMs: runAt(6), asOfMs: 0 };
  const open = await system.call.getAccuracy(ask);
  expect(open.differences).toMatchObject([{ openedMs: runAt(1), closedMs: 0, runTotal: 2, valueTotal: 4, largest: { ours: '101' } }]);

  await keep(runAt(4), 'candles', EQUAL);
  await keep(runAt(5), 'candles', EQUAL);
  await keep(runAt(5), 'book', differing(runAt(5), '1', '2', '1'));
  const closed = await system.call.getAccuracy(ask);
  expect(closed.differences.map(({ measure, closedMs }) => [measure, closedMs])).toEqual([
    ['book', 0],
    ['candles', runAt(4)],
  ]);
  expect(closed.differences[1]).toEqual({
    ...open.differences[0],
    closedMs: runAt(4),
    largest: { field: 'high', atMs: runAt(3) - 5 * MINUTE_MS, ours: '101', theirs: '100', apart: '1' },
    sentence:
      'Candles of BTCUSD-PERP differed from the venue from 2026-01-06T23:45:00.000Z to 2026-01-07T00:06:00.000Z: high 101 here, 100 ' +
      'there, the largest of 4 differences. Found equal again at 2026-01-07T00:20:00.000Z.',
  });
  expect(closed.days.map(({ measure, dayMs, runTotal }) => [measure, dayMs, runTotal])).toEqual([
    ['candles', DAY, 2],
    ['candles', DAY + DAY_MS, 4],
    ['book', DAY + DAY_MS, 1],
  ]);
  expect(closed.days[0]).toMatchObject({
    comparedTotal: 120,
    equalTotal: 118,
    notComparedTotal: 0,
    reasons: [],
    largest: { apart: '0.3' },
  });
  expect(closed.days[1]).toMatchObject({ comparedTotal: 180, equalTotal: 178, notComparedTotal: 60, reasons: ['venue_not_reached'] });
  expect(await readLastRun(system.pool, SYMBOL)).toEqual({
    runMs: runAt(5),
    toMs: { book: runAt(5) - MINUTE_MS, candles: runAt(5) - MINUTE_MS },
  });

  const span = { symbols: [SYMBOL], fromMs: runAt(2), toMs: runAt(3), nowMs: runAt(6) };
  const incidents = (await Promise.all(INCIDENT_SOURCES.map((source) => source(system, span)))).flat();
  expect(incidents).toMatchObject([
    { kind: 'audit_differs', openedMs: runAt(1), closedMs: runAt(4), symbols: [SYMBOL], sentence: closed.differences[1]?.sentence },
  ]);

  // Querying the first day on its own gives the same; as of an earlier run the difference is still open.
  expect((await system.call.getAccuracy({ ...ask, toMs: DAY + DAY_MS })).differences).toEqual([closed.differences[1]]);
  expect((await system.call.getAccuracy({ ...ask, asOfMs: runAt(3) })).differences).toEqual(open.differences);
});

test('a run that is kept already stays as it is, and results older than 90 days are dropped', async () => {
  const ask = { symbol: SYMBOL, fromMs: DAY, toMs: runAt(6), asOfMs: 0 };
  const before = await system.call.getAccuracy(ask);
  await keep(runAt(0), 'candles', NOTHING);
  expect((await system.call.getAccuracy(ask)).days).toEqual(before.days);
  const laterMs = DAY + 91 * DAY_MS;
  await keep(laterMs, 'candles', EQUAL);
  const after = await system.call.getAccuracy(ask);
  expect(after.days.map(({ dayMs }) => dayMs)).toEqual([DAY + DAY_MS, DAY + DAY_MS]);
  expect(after.keptDays).toBe(90);
});

test('a symbol that is not served, and a span over 31 days, are refused', async () => {
  expect((await failureOf(system.call.getAccuracy({ symbol: 'XRPUSD-PERP', fromMs: 0, toMs: 0, asOfMs: 0 }))).reason).toBe(
    'unknown_symbol',
  );
  const long = { symbol: 'BTC', fromMs: DAY - 31 * DAY_MS, toMs: DAY + 1, asOfMs: -1 };
  expect(await faultsOf(system.call.getAccuracy(long))).toEqual(['as_of_ms', 'from_ms', 'symbol']);
});
