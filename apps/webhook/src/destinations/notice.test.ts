import fc from 'fast-check';
import type { MessageRow } from '../messages/message';
import { type Markup, type Notice, noticeOf, titleOf, writeText } from './notice';

const BASE = 'https://market-state.example';

function rowOf(eventKind: string, data: Readonly<Record<string, unknown>>, symbol = ''): MessageRow {
  const created = { created_ms: '1764417610000', position: '1', occasion: 'o', tenant_id: 'ten_1', message_id: 'msg_1' };
  return { ...created, event_kind: eventKind, symbol, data, meta: {} };
}

const packet = {
  symbol: 'BTCUSD-PERP',
  window_end_utc: '2026-11-29T12:00:09.999Z',
  gap_ids: [],
  late: false,
  synthetic: false,
};
const described = {
  ...packet,
  state: 'depth_watch',
  event_class: 'balanced_two_sided_context',
  severity_class: 'high_context',
  severity_score: 0.51356,
};
const alert = (phase: string, condition: object) => ({ ...packet, watchlist_name: 'stress', phase, episode_id: 'ep_1', condition });

const lines = (row: MessageRow): readonly string[] => {
  const { title, facts } = noticeOf(row, BASE);
  return [title, ...facts.map(([label, value]) => `${label}: ${value}`)];
};
const WINDOW = 'Window until: 2026-11-29 12:00:09 UTC';

test.each([
  [
    'state.changed',
    { ...described, previous_state: 'pressure_building' },
    [
      'BTCUSD-PERP changed from pressure building to depth watch',
      'Severity: high context (0.5136)',
      'Event: balanced two sided context',
      WINDOW,
    ],
  ],
  [
    'packet.created',
    described,
    ['BTCUSD-PERP: depth watch', 'Severity: high context (0.5136)', 'Event: balanced two sided context', WINDOW],
  ],
  ['export.finished', { job_id: 'exp_1', dataset: 'trades', status: 'ready' }, ['Export of trades is ready', 'Job: exp_1']],
  ['export.finished', { job_id: 'exp_1', dataset: 'order_book', status: 'failed' }, ['Export of order book failed', 'Job: exp_1']],
  [
    'usage.threshold_reached',
    { control: 'plan_credits', percent: 80, used: 81, limit: 100 },
    ['80 % of plan credits used', 'Used: 81 of 100'],
  ],
  [
    'endpoint.disabled',
    { endpoint_id: 'we_1', reason: 'destination_refused' },
    ['A destination was disabled', 'Reason: destination refused', 'Destination: we_1'],
  ],
  [
    'message.exhausted',
    { endpoint_id: 'we_1', event_kind: 'state.changed', last_class: 'status_500' },
    ['A message (state.changed) could not be delivered to another destination', 'Last result: status 500', 'Destination: we_1'],
  ],
  ['webhook.test', {}, ['Test from Market-State', 'Note: nothing has changed in the market']],
])('%s %j is said in plain words', (eventKind, data, said) => expect(lines(rowOf(eventKind, data))).toEqual(said));

test.each([
  [{ kind: 'state_changed', previous_state: 'a_b', state: 'c_d' }, 'state changed from a b to c d'],
  [{ kind: 'state_changed', previous_state: null, state: 'c_d' }, 'state changed from unknown to c d'],
  [{ kind: 'tag_added', tag: 'depth:*', tags_added: ['depth:hot', 'depth:thin'] }, 'tags added: depth:hot, depth:thin'],
  [{ kind: 'state_is', state: 'c_d' }, 'state is c d'],
  [{ kind: 'event_class_is', event_class: 'c_d' }, 'event class is c d'],
  [
    { kind: 'severity_at_least', severity_class: 'high_context', severity_score: 0.82, at_least: 0.8 },
    'severity is high context (0.82); threshold: 0.8',
  ],
  [
    { kind: 'score_change', score: 'queue_fragility_score', value: 0.61, change: 0.21, packets: 3 },
    'queue fragility score changed by 0.21 in 3 packets, to 0.61',
  ],
  [{ kind: 'feed_stale', channel: 'trades', age_seconds: 75 }, 'newest trades: 75 s old'],
  [{ kind: 'feed_stale', channel: null, age_seconds: null }, 'no packets'],
])('a condition %j is one sentence', (condition, sentence) => {
  expect(lines(rowOf('alert.triggered', alert('triggered', condition)))).toEqual([
    'stress: BTCUSD-PERP triggered',
    `Condition: ${sentence}`,
    WINDOW,
  ]);
});

test('a reduced body has no condition, and still its window', () => {
  expect(lines(rowOf('alert.triggered', { ...packet, phase: 'recovered', thin: true }))).toEqual(['Alert: BTCUSD-PERP recovered', WINDOW]);
});

test('late, simulated and incomplete data are named', () => {
  const data = { ...alert('ended', {}), late: true, synthetic: true, gap_ids: ['gap_1', 'gap_2'] };
  expect(lines(rowOf('alert.triggered', data))).toEqual([
    'stress: BTCUSD-PERP ended: the rule was deleted or changed',
    WINDOW,
    'Data: 2 gaps in this window',
    'Late: it happened more than 15 minutes before this message, during an outage',
    'Market: simulated',
  ]);
});

test('the link opens the window in the portal; without a public address there is none', () => {
  const row = rowOf('state.changed', described);
  expect(noticeOf(row, BASE).link).toEqual({
    label: 'Open this window',
    url: `${BASE}/replay?symbol=BTCUSD-PERP&at=2026-11-29T12%3A00%3A09.999Z`,
  });
  expect(noticeOf(row, undefined).link).toBeUndefined();
});

test('messages of one episode have one id, others their own', () => {
  expect(noticeOf(rowOf('alert.triggered', alert('triggered', {})), BASE).episodeId).toBe('ep_1');
  expect(noticeOf(rowOf('state.changed', described), BASE).episodeId).toBe('msg_1');
});

const markup = (lengthMax: number): Markup => ({
  escape: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  bold: (text) => `<b>${text}</b>`,
  link: (label, url) => `<a href="${url}">${label}</a>`,
  lengthMax,
});

const madeNotice = (title: string, createdMs: number, symbol = 'BTCUSD-PERP'): Notice => ({
  messageId: 'msg_1',
  eventKind: 'alert.triggered',
  createdMs,
  title,
  facts: [['Condition', 'a < b & c']],
  link: { label: 'Open this window', url: 'https://market-state.example/replay' },
  tone: 'triggered',
  episodeId: 'ep_1',
  symbol,
  severityClass: '',
});

test('a list is oldest first, and names how many it leaves out', () => {
  const notices = Array.from({ length: 25 }, (_, index) => madeNotice(`rule ${index}`, Date.UTC(2026, 0, 1, 12, 0, 24 - index)));
  const lines = writeText(notices, markup(10_000)).split('\n');
  expect(lines.slice(0, 3)).toEqual([
    '<b>25 messages about BTCUSD-PERP</b>',
    '2026-01-01 12:00:00 to 12:00:24 UTC',
    '12:00:00 rule 24 <a href="https://market-state.example/replay">open</a>',
  ]);
  expect(lines.at(-2)).toBe('and 5 more messages: the list of deliveries has all of them');
});

test.each([
  [['A'], '2 messages about A'],
  [['A', 'B'], '2 messages about A, B'],
  [['A', 'B', 'C', 'D'], '4 messages about A, B, C and others'],
  [[''], '2 messages'],
])('a digest about %j has the title %s', (symbols, title) => {
  const notices = (symbols.length === 1 ? [...symbols, ...symbols] : symbols).map((symbol) => madeNotice('x', 1, symbol));
  expect(titleOf(notices)).toBe(title);
});

test('no text is longer than its destination accepts, and none ends inside its markup', () => {
  const notice = fc.record({
    title: fc.string({ minLength: 1, maxLength: 300 }),
    createdMs: fc.integer({ min: 0, max: 2_000_000_000_000 }),
  });
  const notices = fc.array(notice, { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(notices, fc.integer({ min: 2_000, max: 5_000 }), (given, lengthMax) => {
      const text = writeText(
        given.map(({ title, createdMs }) => madeNotice(title.replaceAll(/\s/g, ' '), createdMs)),
        markup(lengthMax),
      );
      const count = (part: string): number => text.split(part).length - 1;
      return text.length <= lengthMax && count('<b>') === count('</b>') && count('<a href') === count('</a>') && text !== '';
    }),
  );
});
