import { destinationName, digestWords, messageWords, healthOf, healthWord, notificationOf } from './webhook-words';
import type { Attempt } from './use-webhooks';

const TO_MS = Date.parse('2026-11-25T12:00:00.000Z');

function attempt(minutesAgo: number, outcome: string, id = 'wh_1'): Attempt {
  return { webhook_id: id, outcome, started_at_utc: new Date(TO_MS - minutesAgo * 60_000).toISOString() } as Attempt;
}

test('attempts fall into the interval in which they started, only for their own endpoint, and the newest into the last', () => {
  const slots = healthOf(
    [attempt(0, 'ok'), attempt(31, 'timeout'), attempt(35, 'ok'), attempt(5, 'ok', 'wh_2'), attempt(90, 'ok')],
    'wh_1',
    TO_MS,
    1,
    2,
  );
  expect(slots.map(({ attempts, failed }) => [attempts, failed])).toEqual([
    [2, 1],
    [1, 0],
  ]);
  expect(slots.map(healthWord)).toEqual(['mixed', 'good']);
});

test('an interval without attempts is quiet, one in which all failed is bad', () => {
  const slots = healthOf([attempt(10, 'status_500')], 'wh_1', TO_MS, 1, 2);
  expect(slots.map(healthWord)).toEqual(['quiet', 'bad']);
});

const meta = { synthetic: true };

test('a message is said in one line, with its symbol, its packet and where that comes from', () => {
  const data = { watchlist_name: 'Night', phase: 'triggered', symbol: 'SIMUSD-PERP', event_id: 'evt_1' };
  expect(messageWords({ type: 'alert.triggered', data, meta })).toEqual({
    sentence: 'Night: triggered',
    symbol: 'SIMUSD-PERP',
    eventId: 'evt_1',
    isSimulated: true,
  });
});

test.each([
  ['state.changed', { previous_state: 'depth_watch', state: 'pressure_building' }, 'from Depth watch to Pressure building', null],
  ['packet.created', { state: 'depth_watch', symbol: 'BTCUSD-PERP' }, 'Depth watch', 'BTCUSD-PERP'],
  [
    'export.finished',
    { dataset: 'trades', status: 'ready', symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'] },
    'trades: ready',
    'BTCUSD-PERP, ETHUSD-PERP',
  ],
  ['message.exhausted', { event_kind: 'state.changed' }, 'state.changed could not be delivered to another endpoint', null],
  ['webhook.test', {}, 'a test message; every endpoint gets it', null],
] as const)('a message %s has its own sentence', (type, data, sentence, symbol) => {
  expect(messageWords({ type, data, meta: {} })).toEqual({ sentence, symbol, eventId: null, isSimulated: false });
});

const address = { kind: 'webhook' as const, url: 'https://hooks.example.com/a', email: null, chat_id: null };
test.each([
  [{}, 'https://hooks.example.com/a'],
  [{ kind: 'slack' as const, url: 'https://hooks.slack.com/services/T1/B1/…' }, 'Slack: hooks.slack.com/services/T1/B1/…'],
  [{ kind: 'telegram' as const, chat_id: '@desk' }, 'Telegram chat @desk'],
  [{ kind: 'pagerduty' as const }, 'PagerDuty'],
  [{ kind: 'email' as const, url: 'mailto:a@example.org', email: 'a@example.org' }, 'a@example.org'],
])('a destination %j is named %s', (fields, name) => expect(destinationName({ ...address, ...fields })).toBe(name));

test('a digest is said by its length', () => {
  expect([0, 5, 1_440].map(digestWords)).toEqual(['each message immediately', 'one message every 5 min', 'one message every 24 h']);
});

const data = {
  watchlist_name: 'Night',
  symbol: 'BTCUSD-PERP',
  phase: 'triggered',
  episode_id: 'ep_1',
  window_end_utc: '2026-11-29T12:00:09.999Z',
};

test('a notification names the alert, and opens the window that caused it', () => {
  expect(notificationOf(data)).toEqual({
    title: 'Night: BTCUSD-PERP triggered',
    body: 'Window until 2026-11-29 12:00:09 UTC',
    tag: 'ep_1',
    path: '/replay?symbol=BTCUSD-PERP&at=2026-11-29T12%3A00%3A09.999Z',
  });
});

test('messages of one episode have one tag, and say where they come from', () => {
  expect(notificationOf({ ...data, phase: 'recovered', synthetic: true, late: true })).toMatchObject({
    title: 'Night: BTCUSD-PERP recovered',
    body: 'Window until 2026-11-29 12:00:09 UTC, simulated market, late, after an outage',
    tag: 'ep_1',
  });
});
