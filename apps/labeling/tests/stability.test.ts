import { labeling } from '@market-state/contracts';
import type { MarketEvent } from '@market-state/market-data';
import { BTC, ETH, type LabelingBench, labelPurely, type RunningLabeling, startBench } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

const startMs = Math.floor(Date.now() / 10_000) * 10_000 - 2_000_000;

/** Every 400 s all trades are buys for 160 s, which is a state of its own for a while. */
function withSwings(event: MarketEvent): MarketEvent {
  const swings = (event.exchangeTsMs - startMs) % 400_000 < 160_000;
  return event.kind === 'trade' && swings ? { ...event, aggressorSide: 'buy' } : event;
}

/** Minutes, a feed that is down for two, minutes more: no packet is made for the windows between. */
function withGap(symbol: string, seed: number): MarketEvent[] {
  const whole = syntheticLog({ symbol, seconds: 1_900, seed, stepMs: 1_000, startMs }).map(withSwings);
  return whole
    .filter(({ exchangeTsMs }) => exchangeTsMs < startMs + 500_000 || exchangeTsMs > startMs + 620_000)
    .map((event, index) => ({ ...event, ordinal: index + 1 }));
}

const logs = [withGap(BTC, 4), withGap(ETH, 9)];
const packets = logs.flatMap(labelPurely).map(({ symbol, windowEndMs, eventId, body }) => ({
  symbol,
  windowEndMs,
  eventId,
  ...(JSON.parse(body) as { state: string; event_class: string; state_diagnosis: { crossed_thresholds: { crossing_class: string }[] } }),
}));
type Reported = (typeof packets)[number];

let bench: LabelingBench;
let running: RunningLabeling;
beforeAll(async () => {
  bench = await startBench();
  for (const log of logs) await bench.append(log);
  running = await bench.start();
  for (const symbol of [BTC, ETH]) await bench.waitForPackets(symbol, packets.filter((packet) => packet.symbol === symbol).length);
});
afterAll(async () => {
  await running.close();
  await bench.stop();
});

/** The figures of some packets, walked through one by one. */
function walked(reported: readonly Reported[]) {
  const follows = (before: Reported | undefined, after: Reported | undefined): boolean =>
    before !== undefined && after !== undefined && before.symbol === after.symbol && after.windowEndMs - before.windowEndMs === 10_000;
  const spans: { state: string; length: number; whole: boolean }[] = [];
  for (let from = 0; from < reported.length; ) {
    let to = from + 1;
    while (follows(reported[to - 1], reported[to]) && reported[to]?.state === reported[from]?.state) to += 1;
    spans.push({
      state: reported[from]?.state ?? '',
      length: to - from,
      whole: follows(reported[from - 1], reported[from]) && follows(reported[to - 1], reported[to]),
    });
    from = to;
  }
  return new Map(
    [...new Set(reported.map(({ state }) => state))].map((state) => {
      const own = spans.filter((span) => span.state === state);
      const whole = own.filter((span) => span.whole).map(({ length }) => length * 10);
      const next = reported.flatMap((packet, index) =>
        packet.state === state && follows(packet, reported[index + 1]) ? [reported[index + 1]?.state ?? ''] : [],
      );
      const sorted = [...whole].sort((a, b) => a - b);
      const middle = sorted.length / 2;
      return [
        state,
        {
          packetTotal: reported.filter((packet) => packet.state === state).length,
          spanTotal: own.length,
          wholeSpanTotal: whole.length,
          dwellMeanS: whole.length === 0 ? undefined : whole.reduce((sum, seconds) => sum + seconds, 0) / whole.length,
          dwellMedianS: whole.length === 0 ? undefined : ((sorted[Math.ceil(middle - 1)] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2,
          dwellLongestS: Math.max(...own.map(({ length }) => length * 10)),
          exitTotal: next.filter((to) => to !== state).length,
          nearThresholdTotal: reported.filter(
            (packet) =>
              packet.state === state &&
              packet.state_diagnosis.crossed_thresholds.some(({ crossing_class: crossing }) => crossing === 'near_threshold'),
          ).length,
          transitions: new Map([...new Set(next)].map((to) => [to, next.filter((other) => other === to).length])),
        },
      ];
    }),
  );
}

describe('GetStability', () => {
  test.each([
    ['one symbol', BTC],
    ['every symbol, whose runs are never joined', ''],
  ])('of %s equals a walk through its packets, and no pair spans the gap', async (_name, symbol) => {
    const reported = packets.filter((packet) => symbol === '' || packet.symbol === symbol);
    const { states, packetTotal, pairTotal } = await running.client.call.getStability({
      symbol,
      fromWindowEndMs: startMs,
      toWindowEndMs: startMs + 2_000_000,
      asOfMs: 0,
    });
    const expected = walked(reported);
    expect(packetTotal).toBe(reported.length);
    expect(pairTotal).toBe(reported.length - (symbol === '' ? 4 : 2));
    expect(
      new Map(
        states.map(({ state, transitions, feedback: _feedback, ...figures }) => [
          state,
          { ...figures, transitions: new Map(transitions.map(({ toState, total }) => [toState, total])) },
        ]),
      ),
    ).toEqual(expected);
    expect(states.map(({ packetTotal: total }) => total)).toEqual(
      [...expected.values()].map(({ packetTotal: total }) => total).sort((a, b) => b - a),
    );
    expect([...expected.values()].some(({ wholeSpanTotal }) => wholeSpanTotal > 1)).toBe(true);
  });

  test('of one symbol compares its labels with the minutes after them, where five minutes before and one after are whole', async () => {
    const window = { fromWindowEndMs: startMs, toWindowEndMs: startMs + 2_000_000, asOfMs: 0 };
    const own = packets.filter(({ symbol }) => symbol === BTC).map(({ windowEndMs }) => windowEndMs);
    const whole = own.filter((endMs, index) => own[index - 30] === endMs - 300_000 && own[index + 6] === endMs + 60_000);
    const { validity } = await running.client.call.getStability({ symbol: BTC, ...window });
    expect(whole.length).toBeGreaterThan(60);
    expect(validity).toMatchObject({
      packetTotal: own.length,
      severity: { packetTotal: whole.length, alarmOfShare: { packetTotal: Math.floor(0.13 * whole.length) } },
      severityWithHar: undefined,
    });
    const { severity, lastMinute, har } = validity?.severity?.correlations ?? {};
    for (const found of [severity, lastMinute]) expect(Math.abs(found?.value ?? 2)).toBeLessThanOrEqual(1);
    expect(har).toBeUndefined();
    await expect(running.client.call.getStability({ symbol: '', ...window })).resolves.toMatchObject({ validity: undefined });
  });

  test('needs a window of at most 31 days, and is as of an instant', async () => {
    const window = { symbol: BTC, fromWindowEndMs: startMs, toWindowEndMs: startMs + 2_000_000, asOfMs: 0 };
    await expect(running.client.call.getStability({ ...window, toWindowEndMs: 0 })).rejects.toMatchObject({
      faults: [{ field: 'to_window_end_ms' }],
    });
    await expect(running.client.call.getStability({ ...window, fromWindowEndMs: startMs - 31 * 86_400_000 })).rejects.toMatchObject({
      faults: [{ field: 'to_window_end_ms' }],
    });
    const { packetTotal } = await running.client.call.getStability({ ...window, asOfMs: startMs + 100_000 });
    expect(packetTotal).toBe(packets.filter(({ symbol, windowEndMs }) => symbol === BTC && windowEndMs < startMs + 99_000).length);
  });
});

describe('RecordFeedback', () => {
  const [first, second] = packets as [Reported, Reported];
  const judge = (tenantId: string, eventId: string, label: labeling.FeedbackLabel, note = '') =>
    running.client.call.recordFeedback({ tenantId, eventId, label, note });
  const { USEFUL, NOISE, PARTIAL } = labeling.FeedbackLabel;
  const none = { useful: 0, partial: 0, missingContext: 0, noise: 0 };

  test('keeps one judgement of each tenant and event, the later in place of the earlier, and counts those of all', async () => {
    await expect(judge('ten_a', first.eventId, USEFUL, 'clear')).resolves.toMatchObject({
      symbol: BTC,
      windowEndMs: first.windowEndMs,
      state: first.state,
      eventClass: first.event_class,
      replaced: false,
      onEvent: { ...none, useful: 1 },
    });
    await expect(judge('ten_b', first.eventId, NOISE)).resolves.toMatchObject({
      replaced: false,
      onEvent: { ...none, useful: 1, noise: 1 },
    });
    await expect(judge('ten_b', first.eventId, PARTIAL)).resolves.toMatchObject({
      replaced: true,
      onEvent: { ...none, useful: 1, partial: 1 },
    });
    await expect(judge('ten_a', first.eventId, USEFUL, 'clear')).resolves.toMatchObject({
      replaced: true,
      onEvent: { ...none, useful: 1, partial: 1 },
    });
    const onSecond = await judge('ten_b', second.eventId, USEFUL);
    const sameState = second.state === first.state;
    const sameClass = second.event_class === first.event_class;
    expect(onSecond).toMatchObject({
      onEvent: { ...none, useful: 1 },
      onState: { ...none, useful: sameState ? 2 : 1, partial: sameState ? 1 : 0 },
      onEventClass: { ...none, useful: sameClass ? 2 : 1, partial: sameClass ? 1 : 0 },
    });
    await expect(
      bench.sql('SELECT tenant_id, note FROM event_feedback WHERE event_id = $1 ORDER BY tenant_id', [first.eventId]),
    ).resolves.toEqual([
      { tenant_id: 'ten_a', note: 'clear' },
      { tenant_id: 'ten_b', note: '' },
    ]);
    const { states } = await running.client.call.getStability({
      symbol: BTC,
      fromWindowEndMs: startMs,
      toWindowEndMs: startMs + 2_000_000,
      asOfMs: 0,
    });
    const judged = states.map(({ feedback }) => feedback ?? none);
    expect({
      useful: judged.reduce((sum, { useful }) => sum + useful, 0),
      partial: judged.reduce((sum, { partial }) => sum + partial, 0),
    }).toEqual({ useful: 2, partial: 1 });
  });

  test('names every fault at once, and knows no event that there is not', async () => {
    await expect(judge('', 'evt_', labeling.FeedbackLabel.UNSPECIFIED, 'x'.repeat(2_001))).rejects.toMatchObject({
      faults: [{ field: 'tenant_id' }, { field: 'event_id' }, { field: 'label' }, { field: 'note' }],
    });
    await expect(judge('ten_a', `evt_${'0'.repeat(26)}`, USEFUL)).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_packet' });
  });
});
