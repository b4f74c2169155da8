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

  test('in the window that reports it leaves nothing: each packet reads as without it', () => {
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

  test('and was never reported changes nothing', () => {
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

test('a seam that a fresh snapshot ends is a gap of its channel from then on, and is reported as one', () => {
  const spanned = { gapId: 'gap_s', startMs: T0 + 100_500, endMs: T0 + 101_700 };
  const log = run(started().status({ type: 'seam', ...spanned }), T0 + 102_000, T0 + 110_000);
  log.status({ type: 'resynced', channel: 'book', ...spanned });
  const [seam, gap] = labelLog(run(log, T0 + 111_000, T0 + 120_000).events).slice(-2) as [PacketResult, PacketResult];
  expect([flags(seam), flags(gap)]).toEqual([['recording_seam'], ['book_gap']]);
  expect(gap.packet.source_resolution.gaps).toMatchObject([{ gap_id: 'gap_s', channel: 'book', reason: 'sequence_gap' }]);
  const reported = gap.packet.reason_details.map(({ reason_id: id }) => id).filter((id) => id.startsWith('book_'));
  expect(reported).toEqual(['book_gap']);
  expect(gap.packet.packet_quality.gap_seconds).toBe(1.2);
});

test('an open gap reaches T, counts growing seconds, and ends with its resync', () => {
  const log = run(started().gap('gap_o', 'liquidation', T0 + 100_500, 0), T0 + 101_000, T0 + 120_000);
  run(
    log.status({ type: 'resynced', gapId: 'gap_o', channel: 'liquidation', startMs: T0 + 100_500, endMs: T0 + 122_500 }),
    T0 + 121_000,
    T0 + 140_000,
  );
  const results = labelLog(log.events).slice(-4);
  expect(results.map((result) => result.packet.packet_quality.gap_seconds)).toEqual([9.5, 19.5, 22, 22]);
  expect(results.map((result) => result.packet.source_resolution.gaps.map(({ gap_id: gapId }) => gapId))).toEqual(Array(4).fill(['gap_o']));
});

test('a gap or seam reported again cuts once: while the ledger holds its span, and when it no longer does', () => {
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

test('a cut that the log reports before its window closes waits for its instant', () => {
  // Reported before T0 + 100 s closes, but after that window's end in exchange time.
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
  const packets = labelLog(log.events).map(({ packet }) => packet);
  expect(packets.map((packet) => packet.event_class)).toEqual([
    'balanced_two_sided_context',
    'retained_context_only',
    'balanced_two_sided_context',
  ]);
  expect(packets.map((packet) => packet.event_severity.severity_class)).toEqual(Array(3).fill('routine_context'));
});

describe('book, hole, book', () => {
  // A lean of 9 against 1 a second for 100 s, nothing for 60 s, then the same again.
  const log = () => run(started().ticksTo(T0 + 160_000), T0 + 161_000, T0 + 500_000);
  const at = (results: readonly PacketResult[], afterMs: number) =>
    results.find((result) => result.windowEndMs === T0 + afterMs) as PacketResult;
  const pressure = ({ packet }: PacketResult) => packet.state_decision_trace.composites.pressure;

  test('nothing weighs longer than the staleness limit after its stamp', () => {
    const results = labelLog(log().events);
    // Books of T0 − 9.3 s to T0 + 99.7 s, the last in force to T0 + 104.7 s, 0.8 all along; then from T0 + 160.7 s on.
    expect(pressure(at(results, 100_000)).terms).toMatchObject({ m180: 0.8, held_seconds: 109.3 });
    expect(pressure(at(results, 110_000)).terms).toMatchObject({ m180: 0.8, held_seconds: 114 });
    expect(pressure(at(results, 150_000)).terms).toMatchObject({ m180: 0.8, held_seconds: 114 });
    // In (T0 + 20 s, T0 + 200 s], 84.7 s and 39.3 s are held; the flow is measured only against them.
    expect(pressure(at(results, 200_000)).terms).toMatchObject({ m180: 0.8, held_seconds: 124 });
    // Only 4.7 s before the gap remain in (T0 + 100 s, T0 + 280 s].
    expect(pressure(at(results, 280_000)).terms).toMatchObject({ held_seconds: 124 });
  });

  test('the hole sets book_gap and counts its seconds beyond the limit, without a gap in the list', () => {
    const results = labelLog(log().events);
    const silent = at(results, 200_000);
    expect([flags(silent), silent.packet.source_resolution.gaps]).toEqual([['book_gap'], []]);
    // from T0 + 104.7 s to T0 + 160.7 s
    expect(silent.packet.packet_quality.gap_seconds).toBe(56);
    expect(at(results, 130_000).packet.packet_quality.gap_seconds).toBe(25.3);
    expect(flags(at(results, 460_000))).toEqual(['book_gap']);
    expect([flags(at(results, 470_000)), at(results, 470_000).packet.packet_quality.gap_seconds]).toEqual([[], 0]);
  });

  test('it cuts nothing: moves and windows go over it', () => {
    const results = labelLog(log().events);
    expect(drivers(at(results, 220_000))['lineage_price_move_bps_abs']).toBe(0);
    // mid at T0 + 170 s against that at T0 + 230 s, six windows apart
    expect(drivers(at(results, 230_000))['lineage_price_move_bps_abs']).not.toBe(0);
    // range of mid from T0 + 20 s on, across the gap: (1,020.5 / 1,002.5 − 1) × 10,000
    expect(at(results, 200_000).packet.event_severity.movement_bps).toBe(179.551122);
  });

  test('a cut or a seam alone is no silence', () => {
    const cut = run(started().gap('gap_c', 'trade', T0 + 100_100, T0 + 100_200), T0 + 101_000, T0 + 120_000);
    expect(flags(labelLog(cut.events).at(-1) as PacketResult)).toEqual(['trade_gap']);
    const seam = started().status({ type: 'seam', gapId: 'gap_s', startMs: T0 + 100_100, endMs: T0 + 130_500 });
    seam.pass = 1;
    run(seam.connected(), T0 + 132_000, T0 + 150_000);
    expect(flags(labelLog(seam.events).at(-1) as PacketResult)).toEqual(['recording_seam']);
  });
});
