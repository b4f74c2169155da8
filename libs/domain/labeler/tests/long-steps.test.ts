import type { PacketResult } from '../src/index';
import { labelLog } from './label-log';
import { LogBuilder, type Level } from './log-builder';

const T0 = 1_700_000_000_000;
const ASKS: readonly Level[] = [
  [101, 1],
  [102, 1],
];

function last(results: readonly PacketResult[]): Record<string, Record<string, unknown>> {
  return results.at(-1)?.packet as unknown as Record<string, Record<string, unknown>>;
}

/** Ticks every 10 s, so that every window is made, until `untilMs` has closed. */
function tickTo(log: LogBuilder, fromMs: number, untilMs: number): LogBuilder {
  for (let atMs = fromMs; atMs <= untilMs; atMs += 10_000) log.tick(atMs + 1_000);
  return log;
}

/** The best bid falls from 10 to 1 over a step of `quietMs`, 9 of it traded away at its start. */
function tradedAway(quietMs: number): LogBuilder {
  const log = new LogBuilder(T0 - 1_000).connected({ bookStalenessMs: 600_000 }).tick(T0 - 750);
  log.book(T0, [[100, 10]], ASKS).trade(T0 + 5_000, 'sell', 100, 9);
  tickTo(log, T0, T0 + quietMs - 10_000);
  return tickTo(log.book(T0 + quietMs, [[100, 1]], ASKS), T0 + quietMs, T0 + quietMs);
}

// Churn would add 0.35. With 30 packets in the session, depth falling from 12 to 3 gives 0.40 × thin = 0.40 × (1 − 3 / 12).
test.each([
  [50_000, 0],
  [290_000, 0],
  [330_000, 0.3],
])('size that was traded away in a step of %i ms is no churn', (quietMs, fragility) => {
  const packet = last(labelLog(tradedAway(quietMs).events));
  expect(packet['driver_strengths']?.['queue_fragility_score']).toBe(fragility);
});

test('the end of a gap is null while it is open, and its own end afterwards', () => {
  const log = new LogBuilder(T0 - 1_000)
    .connected()
    .tick(T0 - 750)
    .book(T0 - 500, [[100, 1]], ASKS);
  log
    .gap('gap_open', 'trade', T0 - 400, 0)
    .tick(T0 + 1_000)
    .tick(T0 + 11_000);
  const gapsOf = (results: readonly PacketResult[]): unknown[] =>
    results.map(
      ({ packet }) => (packet as unknown as Record<string, { gaps: { end_utc: unknown }[] }>)['source_resolution']?.gaps[0]?.end_utc,
    );
  expect(gapsOf(labelLog(log.events))).toEqual([null, null]);
  log.status({ type: 'resynced', gapId: 'gap_open', channel: 'trade', startMs: T0 - 400, endMs: T0 + 12_000 }).tick(T0 + 21_000);
  expect(gapsOf(labelLog(log.events)).at(-1)).toBe(new Date(T0 + 12_000).toISOString());
});

test('an id that comes again is a repeat also after a late event of the same id, far older', () => {
  const log = new LogBuilder(T0 - 1_000)
    .connected()
    .tick(T0 - 750)
    .book(T0 - 500, [[100, 1]], ASKS);
  log.trade(T0 - 400, 'buy', 101, 1, 'seven').tick(T0 + 1_000);
  log
    .trade(T0 - 700_000, 'buy', 101, 1, 'seven')
    .trade(T0 + 9_000, 'buy', 101, 1, 'seven')
    .tick(T0 + 11_000);
  expect(last(labelLog(log.events))['driver_strengths']?.['recent_trade_count']).toBe(1);
});

test('liquidations are not weighed against trades that the venue does not report', () => {
  const log = new LogBuilder(T0 - 1_000)
    .connected({ channels: ['book', 'liquidation'] })
    .tick(T0 - 750)
    .book(T0 - 500, [[100, 1]], ASKS);
  log
    .trade(T0 - 300, 'buy', 100, 60_000)
    .liquidation(T0 - 200, 'long', 100, 5_000)
    .tick(T0 + 1_000);
  const candidates = last(labelLog(log.events))['state_decision_trace'] as unknown as { composites: Record<string, { norm: number }> };
  expect(candidates.composites['forced_flow']?.norm).toBe(1);
});
