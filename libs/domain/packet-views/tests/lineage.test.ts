import { missingBetween, type LoggedPacket, sourceWindowStatus, transitionRows } from '../src';
import { recordedPackets } from './labelled';

const packets = recordedPackets();

test('a transition row stands at each packet whose state, class or profile is not that of the packet before', () => {
  const expected = packets.slice(1).flatMap(({ packet }, index) => {
    const before = (packets[index] as LoggedPacket).packet;
    const differs =
      before.state !== packet.state || before.event_class !== packet.event_class || before.event_profile !== packet.event_profile;
    return differs ? [[packet.event_id, before.state, packet.state, before.event_class, packet.event_class]] : [];
  });
  const rows = transitionRows(packets);
  expect(
    rows.map(({ event_id, from_state, to_state, from_event_class, to_event_class }) => [
      event_id,
      from_state,
      to_state,
      from_event_class,
      to_event_class,
    ]),
  ).toEqual(expected);
  expect(rows).toHaveLength(11);
  for (const { event_id, changed_tags } of rows) {
    const index = packets.findIndex(({ packet }) => packet.event_id === event_id);
    const [now, before] = [packets[index]?.packet.tags, packets[index - 1]?.packet.tags];
    for (const tag of changed_tags.added) expect([now?.includes(tag), before?.includes(tag)]).toEqual([true, false]);
    for (const tag of changed_tags.removed) expect([now?.includes(tag), before?.includes(tag)]).toEqual([false, true]);
  }
});

test('a hole counts the windows that have no packet', () => {
  expect(missingBetween(packets)).toEqual([]);
  const [last, next] = [packets[9] as LoggedPacket, packets[13] as LoggedPacket];
  const holes = missingBetween([...packets.slice(0, 10), ...packets.slice(13)]);
  expect(holes).toEqual([
    {
      after_event_id: last.packet.event_id,
      before_event_id: next.packet.event_id,
      after_window_end_utc: last.packet.ts,
      before_window_end_utc: next.packet.ts,
      missing_packet_total: 3,
    },
  ]);
});

test.each([
  [
    'all that it applied is kept',
    [
      [40, 40, 40],
      [200, 203, 203],
      [null, 0, 0],
    ],
    'evidence_attached',
  ],
  [
    'one row of its own is gone',
    [
      [40, 39, 39],
      [200, 200, 200],
    ],
    'retained_companion_rows',
  ],
  [
    'only rows of before its window are kept',
    [
      [0, 0, 3],
      [0, 0, 0],
    ],
    'retained_companion_rows',
  ],
  [
    'a channel of its own is gone, another is kept',
    [
      [40, 0, 0],
      [0, 0, 0],
      [1, 1, 4],
    ],
    'retained_companion_rows',
  ],
  [
    'no row is kept',
    [
      [40, 0, 0],
      [200, 0, 0],
    ],
    'retained_context_rows',
  ],
  ['it applied nothing, and nothing is kept', [[0, 0, 0]], 'retained_context_rows'],
] as const)('where %s, the window is said to be so', (_name, channels, status) => {
  expect(sourceWindowStatus(channels.map(([applied, retainedInWindow, retained]) => ({ applied, retainedInWindow, retained })))).toBe(
    status,
  );
});
