import type { PacketResult } from '../src/index';
import { labelLog } from './label-log';
import { LogBuilder, type Level } from './log-builder';

const T0 = 1_700_000_000_000;
const HEAVY: readonly Level[] = [[100, 9]];
const LIGHT: readonly Level[] = [[101, 1]];

const drivers = ({ packet }: PacketResult): Record<string, number | null> => packet.driver_strengths;
const flags = ({ packet }: PacketResult): readonly string[] => packet.packet_quality.gap_flags;

/** One book and one trade a second from `fromMs` to `toMs`, the bid rising by one every ten seconds, with a tick each second. */
function run(log: LogBuilder, fromMs: number, toMs: number): LogBuilder {
  for (let atMs = fromMs; atMs <= toMs; atMs += 1_000) {
    const rise = Math.floor((atMs - T0) / 10_000);
    log
      .book(atMs - 300, [[1000 + rise, 9]], [[1001 + rise, 1]])
      .trade(atMs - 200, 'buy', 1001 + rise, 1)
      .tick(atMs + 1_000);
  }
  return log;
}

function started(): LogBuilder {
  return run(new LogBuilder(T0 - 10_000).connected().tick(T0 - 9_750), T0 - 9_000, T0 + 100_000);
}

test('without a cut the minute and the price move over six windows are whole', () => {
  const last = labelLog(started().events).at(-1) as PacketResult;
  // Mid rose from 1,004.5 at T − 60 s to 1,010.5: 10,000 × 6 / 1,004.5.
  expect(drivers(last)).toMatchObject({ recent_trade_count: 60, lineage_price_move_bps_abs: 59.73121 });
});

test('a gap cuts its own channel: trades before it are gone from the minute, books are not', () => {
  const log = run(started().gap('gap_a', 'trade', T0 + 100_500, T0 + 101_500), T0 + 102_000, T0 + 110_000);
  const last = labelLog(log.events).at(-1) as PacketResult;
  expect(drivers(last)).toMatchObject({ recent_trade_count: 9, lineage_price_move_bps_abs: 59.671805 });
  expect(flags(last)).toEqual(['trade_gap']);
  expect(last.packet.packet_quality.gap_seconds).toBe(1);
  expect(last.packet.transition_type).not.toBe('lineage_context_pending');
});

describe('a gap that is withdrawn', () => {
  const withdrawal = {
    type: 'gap',
    gapId: 'gap_w',
    channel: 'trade',
    startMs: T0 + 100_500,
    endMs: T0 + 101_500,
    reason: 'arrived_late',
  } as const;

  test('in the window that it is told in leaves nothing: each packet reads as without it', () => {
    const log = run(
      started()
        .gap('gap_w', 'trade', T0 + 100_500, T0 + 101_500)
        .status(withdrawal),
      T0 + 102_000,
      T0 + 130_000,
    );
    const plain = run(started(), T0 + 102_000, T0 + 130_000);
    const read = (built: LogBuilder) =>
      labelLog(built.events).map((result) => [drivers(result), flags(result), result.packet.packet_quality]);
    expect(read(log)).toEqual(read(plain));
  });

  test('later stays in the packets made before, and later ones know neither the gap nor its cut', () => {
    const log = run(started().gap('gap_w', 'trade', T0 + 100_500, T0 + 101_500), T0 + 102_000, T0 + 112_000);
    const results = labelLog(run(log.status(withdrawal), T0 + 113_000, T0 + 120_000).events).slice(-2);
    expect(results.map(flags)).toEqual([['trade_gap'], []]);
    expect(results.map((result) => result.packet.packet_quality.gap_seconds)).toEqual([1, 0]);
    expect(results.map((result) => drivers(result)['recent_trade_count'])).toEqual([9, 59]);
  });

  test('takes back its own cut alone: another at the same instant stays', () => {
    const log = started()
      .gap('gap_w', 'trade', T0 + 100_500, T0 + 101_500)
      .gap('gap_x', 'trade', T0 + 100_500, T0 + 101_000);
    const last = labelLog(run(log.status(withdrawal), T0 + 102_000, T0 + 110_000).events).at(-1) as PacketResult;
    expect([flags(last), drivers(last)['recent_trade_count'], last.packet.packet_quality.gap_seconds]).toEqual([['trade_gap'], 9, 0.5]);
  });

  test('of all channels leaves no cut of any, and no packet that is the first after it', () => {
    const all = { ...withdrawal, channel: undefined };
    const log = started()
      .gap('gap_w', undefined, T0 + 100_500, T0 + 101_500)
      .status(all);
    const last = labelLog(run(log, T0 + 102_000, T0 + 110_000).events).at(-1) as PacketResult;
    expect([flags(last), drivers(last)['recent_trade_count']]).toEqual([[], 59]);
    expect(last.packet.transition_type).not.toBe('lineage_context_pending');
  });

  test('and was never told changes nothing', () => {
    const last = labelLog(run(started().status(withdrawal), T0 + 102_000, T0 + 110_000).events).at(-1) as PacketResult;
    expect([flags(last), drivers(last)['recent_trade_count'], last.packet.packet_quality.gap_seconds]).toEqual([[], 59, 0]);
  });
});

test('a book gap leaves the trades and makes moves across it unknown for six windows', () => {
  const log = run(started().gap('gap_b', 'book', T0 + 100_500, T0 + 101_500), T0 + 102_000, T0 + 170_000);
  const results = labelLog(log.events).slice(-7);
  expect(results.map((result) => drivers(result)['lineage_price_move_bps_abs'] === 0)).toEqual([true, true, true, true, true, true, false]);
  expect(drivers(results[0] as PacketResult)['recent_trade_count']).toBe(59);
  expect(flags(results[0] as PacketResult)).toEqual(['book_gap']);
});

test('a seam cuts every channel and makes its first packet lineage_context_pending, but memory of packets goes on', () => {
  const log = started().status({ type: 'seam', gapId: 'gap_s', startMs: T0 + 100_500, endMs: T0 + 101_700 });
  log.pass = 2;
  const results = labelLog(run(log.connected(), T0 + 102_000, T0 + 120_000).events).slice(-2);
  expect(results.map((result) => result.packet.transition_type)).toEqual(['lineage_context_pending', 'same_state_new_context']);
  expect(results.map(flags)).toEqual([['recording_seam'], ['recording_seam']]);
  expect(results.map((result) => drivers(result)['recent_trade_count'])).toEqual([9, 19]);
  expect(results[0]?.packet.packet_quality.gap_seconds).toBe(1.2);
  expect(results[0]?.packet.calibration_context.sample_event_total).toBe(11);
});

test('an open gap reaches T, counts growing seconds, and ends with its resync', () => {
  const log = started()
    .gap('gap_o', 'liquidation', T0 + 100_500, 0)
    .ticksTo(T0 + 121_000);
  log
    .status({ type: 'resynced', gapId: 'gap_o', channel: 'liquidation', startMs: T0 + 100_500, endMs: T0 + 122_500 })
    .ticksTo(T0 + 141_000);
  const results = labelLog(log.events).slice(-4);
  expect(results.map((result) => result.packet.packet_quality.gap_seconds)).toEqual([9.5, 19.5, 22, 22]);
  expect(results.map((result) => result.packet.source_resolution.gaps.map(({ gap_id: gapId }) => gapId))).toEqual(Array(4).fill(['gap_o']));
});

test('a gap or seam told of again cuts once: while the ledger holds its span, and when it no longer does', () => {
  const gap = { gapId: 'gap_r', channel: undefined, startMs: T0 + 100_500, endMs: T0 + 101_500 } as const;
  const repeats = [
    { type: 'gap', ...gap, reason: 'sequence_gap' },
    { type: 'gap', ...gap, endMs: 0, reason: 'sequence_gap' },
    { type: 'resynced', ...gap },
    { type: 'seam', gapId: 'gap_r', startMs: gap.startMs, endMs: gap.endMs },
  ] as const;
  for (const repeat of repeats) {
    const log = run(started().status({ type: 'gap', ...gap, reason: 'sequence_gap' }), T0 + 102_000, T0 + 180_000);
    const later = run(log.status(repeat), T0 + 181_000, T0 + 720_000);
    if (repeat.endMs !== 0) run(later.status(repeat), T0 + 721_000, T0 + 740_000);
    const results = labelLog(log.events);
    const pending = results.slice(6).filter(({ packet }) => packet.transition_type === 'lineage_context_pending');
    expect([repeat.type, pending.map(({ windowEndMs }) => windowEndMs - T0)]).toEqual([repeat.type, [110_000]]);
    expect(results.at(-1)?.packet.packet_quality.gap_seconds).toBe(0);
  }
});

test('a disconnect cuts all; only a connected that is not its pass’s first is a reconnection', () => {
  const log = started().status({ type: 'disconnected', reason: 'socket closed' }).connected();
  const results = labelLog(run(log, T0 + 102_000, T0 + 410_000).events).slice(11);
  expect(flags(results[0] as PacketResult)).toEqual(['feed_reconnected']);
  expect(results.map((result) => flags(result).length)).toEqual([...Array<number>(30).fill(1), 0]);
  expect(drivers(results[0] as PacketResult)['recent_trade_count']).toBe(9);
});

test('a cut that the log tells of before its window closes waits for its instant', () => {
  // Told before T0 + 100 s closes, but after that window's end in exchange time.
  const log = started().gap('gap_w', 'trade', T0 + 105_000, T0 + 105_500);
  const results = labelLog(run(log, T0 + 102_000, T0 + 110_000).events).slice(-2);
  expect(results.map((result) => drivers(result)['recent_trade_count'])).toEqual([60, 5]);
  expect(results.map(flags)).toEqual([[], ['trade_gap']]);
});

test('a venue whose book goes stale reads as retained context at once, and is left at once', () => {
  const log = new LogBuilder(T0 - 10_000)
    .connected()
    .book(T0 - 100, HEAVY, LIGHT)
    .trade(T0 - 90, 'buy', 101, 1)
    .tick(T0 - 9_750)
    .ticksTo(T0 + 11_000);
  log.book(T0 + 19_000, HEAVY, LIGHT).ticksTo(T0 + 21_000);
  expect(labelLog(log.events).map((result) => result.packet.event_class)).toEqual([
    'visible_depth_pressure_without_trade_confirmation',
    'retained_context_only',
    'visible_depth_pressure_without_trade_confirmation',
  ]);
});
