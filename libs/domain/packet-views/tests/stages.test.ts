import { type LoggedBrief, type LoggedPacket, POSTMORTEM_REACH, postmortemView } from '../src';
import { stagesOf } from '../src/postmortem-view';
import { definitions, recordedPackets } from './labelled';

const packets = recordedPackets();

const idOf = (logged: LoggedBrief | undefined) => logged?.packet.event_id ?? '';
const ids = (some: readonly LoggedBrief[]) => some.map(idOf);

/** Packets around an event, as far as the stages need. */
function around(index: number, all: readonly LoggedPacket[] = packets): LoggedPacket[] {
  return all.slice(Math.max(0, index - POSTMORTEM_REACH.before), index + POSTMORTEM_REACH.after + 1);
}

/** A packet retold in another state, class and window. */
function retold(logged: LoggedPacket, index: number, state: string): LoggedPacket {
  const packet = { ...logged.packet, event_id: `evt_${index}`, state, event_class: 'one' } as LoggedPacket['packet'];
  return { packet, windowEndMs: 10_000 * index, sequence: index };
}

const [first] = packets;
if (first === undefined) throw new Error('there are no packets');
const series = (states: string) => [...states].map((state, index) => retold(first, index, state));

test('the stages of every packet of the recording join without a hole or an overlap, and during is one run around it', () => {
  packets.forEach((own, index) => {
    const given = around(index);
    const { before, during, after, cutAtStart, cutAtEnd } = stagesOf(given, idOf(own));
    const joined = ids([...before, ...during, ...after]);
    const from = ids(given).indexOf(joined[0] ?? '');
    expect(joined).toEqual(ids(given).slice(from, from + joined.length));
    expect(ids(during)).toContain(idOf(own));
    expect(new Set(during.map(({ packet }) => `${packet.state} ${packet.event_class}`)).size).toBe(1);
    expect(Math.max(before.length, during.length, after.length)).toBeLessThanOrEqual(30);
    const ends = [
      [before.at(-1), cutAtStart],
      [after[0], cutAtEnd],
    ] as const;
    for (const [adjacent, cut] of ends) {
      if (adjacent === undefined) continue;
      const sameRun = adjacent.packet.state === own.packet.state && adjacent.packet.event_class === own.packet.event_class;
      expect(sameRun).toBe(cut);
    }
  });
});

test('a run ends at another state, another class and a window without a packet', () => {
  const stages = (all: readonly LoggedPacket[], index: number) => stagesOf(all, `evt_${index}`);
  expect(ids(stages(series('aabbbbcc'), 3).during)).toEqual(['evt_2', 'evt_3', 'evt_4', 'evt_5']);
  const withGap = series('bbbbbb').filter((_packet, index) => index !== 2);
  expect(ids(stages(withGap, 4).during)).toEqual(['evt_3', 'evt_4', 'evt_5']);
  const otherClass = series('bbbb').map((logged, index) =>
    index === 2 ? { ...logged, packet: { ...logged.packet, event_class: 'two' } } : logged,
  );
  expect(ids(stages(otherClass, 1).during)).toEqual(['evt_0', 'evt_1']);
});

test('a long run is cut to 14 before the event and 30 in all, and says so', () => {
  const stages = stagesOf(series('b'.repeat(100)), 'evt_50');
  expect([idOf(stages.during[0]), stages.during.length, stages.cutAtStart, stages.cutAtEnd, stages.runsOn]).toEqual([
    'evt_36',
    30,
    true,
    true,
    false,
  ]);
  expect([stages.before.length, stages.after.length, idOf(stages.after[0])]).toEqual([30, 30, 'evt_66']);
});

test('the reach is enough for every run: no packet further away changes a stage', () => {
  for (const states of ['b'.repeat(200), `${'a'.repeat(90)}${'b'.repeat(20)}${'c'.repeat(90)}`]) {
    const all = series(states);
    const whole = stagesOf(all, 'evt_100');
    const near = stagesOf(around(100, all), 'evt_100');
    expect([near.before, near.during, near.after].map(ids)).toEqual([whole.before, whole.during, whole.after].map(ids));
  }
});

test('the time after is complete with thirty packets and not before; a run that reaches the newest packet goes on', () => {
  const view = (total: number) => {
    const all = series(`abb${'c'.repeat(total)}`);
    return postmortemView(all, all[1] as LoggedPacket, definitions);
  };
  expect([29, 30].map((total) => view(total).complete)).toEqual([false, true]);
  expect(view(29).run).toEqual({
    goes_on: false,
    next_window_end_utc: expect.any(String),
    next_state: 'c',
    next_event_class: 'one',
    packet_total: 2,
  });
  expect(view(0)).toMatchObject({
    run: { goes_on: true, next_state: null },
    stages: { during: { complete: false }, after: { packet_total: 0, sentence: 'No packet has followed yet.' } },
  });
});

test('means are over what was observed, and every reason of the event has an outcome', () => {
  const index = 32;
  const own = packets[index] as LoggedPacket;
  const given = around(index);
  const { before, after } = stagesOf(given, idOf(own));
  const view = postmortemView(given, own, definitions);
  const spread = view.what_changed.features.find(({ feature }) => feature === 'spread_bps');
  const mean = (some: readonly LoggedBrief[]) =>
    some.reduce((sum, { packet }) => sum + (packet.driver_strengths.spread_bps ?? NaN), 0) / some.length;
  expect(spread?.before_mean).toBeCloseTo(mean(before), 6);
  expect(spread?.after_mean).toBeCloseTo(mean(after), 6);
  expect(spread?.at_event).toBe(own.packet.driver_strengths.spread_bps);
  expect(view.what_changed.features.find(({ feature }) => feature === 'funding_rate_abs')).toMatchObject({
    before_mean: null,
    before_packet_total: 0,
    at_event: null,
    after_mean: null,
    change_before_to_after: null,
  });
  expect(view.reasons_held.map(({ reason_id }) => reason_id)).toEqual(own.packet.reason_details.map(({ reason_id }) => reason_id));
  for (const { reason_id, stance, after_packet_total, outcome } of view.reasons_held) {
    const counted = after.filter(({ packet }) =>
      packet.reason_details.some((reason) => reason.reason_id === reason_id && reason.stance === stance),
    ).length;
    expect([after_packet_total, outcome]).toEqual([counted, counted === 0 ? 'ended' : counted * 2 >= after.length ? 'held' : 'faded']);
  }
  expect(
    view.what_was_missing.source_families.map(({ source_family, missing_packet_total }) => [source_family, missing_packet_total]),
  ).toEqual([
    ['asset_context', view.what_was_missing.packet_total],
    ['liquidations', view.what_was_missing.packet_total],
  ]);
});
