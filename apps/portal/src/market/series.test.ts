import { COMPOSITES } from '@market-state/packet-figures';
import type { CompactPacket } from '../packets/live-markets';
import { classMarks, mergePackets, seamOf, seriesOf } from './series';

const packet = (seconds: number, fields: Partial<CompactPacket> = {}) =>
  ({
    window_end_utc: new Date(seconds * 1_000).toISOString(),
    mid_price: 100 + seconds,
    event_class: 'balanced_two_sided_context',
    market_read_direction: 'no_dominant_side',
    composites: Object.fromEntries(
      COMPOSITES.map((name) => [name, { score: name === 'crowding' ? null : 0.1, watch: 0.2, elevated: 0.5 }]),
    ),
    ...fields,
  }) as CompactPacket;

test('a line breaks right after the last window before a gap, and where a packet has no value', () => {
  const { timesMs, mid, composites } = seriesOf(
    [packet(10), packet(20), packet(270), packet(280, { mid_price: null }), packet(290, { state: 'replay_context_ready' })],
    [],
  );
  expect(timesMs).toEqual([10_000, 20_000, 20_001, 270_000, 280_000, 290_000]);
  expect(mid).toEqual([110, 120, null, 370, null, null]);
  expect(composites.pressure.score).toEqual([0.1, 0.1, null, 0.1, 0.1, 0.1]);
  expect(composites.crowding.score).toEqual([null, null, null, null, null, null]);
  expect(composites.crowding.watch).toEqual([0.2, 0.2, null, 0.2, 0.2, 0.2]);
});

test('a line breaks at a seam, but not at a gap without missing packets', () => {
  const gaps = (['seam', 'gap'] as const).map((kind, index) => ({
    kind,
    start_utc: new Date(15_000 + index * 10_000).toISOString(),
  }));
  const { timesMs, mid } = seriesOf([packet(10), packet(20), packet(30)], gaps);
  expect(timesMs).toEqual([10_000, 10_001, 20_000, 30_000]);
  expect(mid).toEqual([110, null, 120, 130]);
});

test('consecutive windows on one side share a mark, and routine has none', () => {
  const leaning = { event_class: 'bid_pressure_confirmed_by_buy_flow' };
  const marks = classMarks([
    packet(10, leaning),
    packet(20, leaning),
    packet(30),
    packet(40, leaning),
    packet(50, { event_class: 'funding_oi_crowding_context' }),
  ]);
  expect(marks.map(({ startMs, endMs, side }) => [startMs, endMs, side])).toEqual([
    [0, 20_000, 'bid'],
    [30_000, 40_000, 'bid'],
    [40_000, 50_000, 'none'],
  ]);
});

test('packets are merged in order, each window once, without old ones', () => {
  const merged = mergePackets([packet(10), packet(20)], [packet(20, { mid_price: 1 }), packet(40)], 30_000);
  expect(merged.map(({ mid_price: mid }) => mid)).toEqual([1, 140]);
});

test('the missing span between stored packets and the first live one is found', () => {
  expect(seamOf([packet(10), packet(20)], [packet(30)])).toBeNull();
  expect(seamOf([packet(10), packet(20)], [packet(60)])).toEqual({ fromMs: 20_001, toMs: 60_000 });
  expect(seamOf([], [packet(60)])).toBeNull();
});
