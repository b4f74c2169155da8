import { clientWith, json, problem, type Sent } from './fake-fetch';

const HOUR_MS = 3_600_000;
const FROM = Date.UTC(2026, 10, 30);
const queryOf = ({ url }: Sent): Readonly<Record<string, string>> => Object.fromEntries(url.searchParams);
const row = (sequence: number): object => ({ channel: 'trades', sequence });
const page = (rows: readonly object[], next: string | null, completeness: object = { reasons: [], gap_ids: [] }): Response =>
  json({ rows, next_cursor: next, completeness });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const had: T[] = [];
  for await (const item of items) had.push(item);
  return had;
}

test('rows of a channel are read hour by hour and page by page, and say what is missing', async () => {
  const { ms, sent } = clientWith([
    page([row(1), row(2)], 'c1'),
    page([row(3)], null, { reasons: ['gap'], gap_ids: ['gap_1'] }),
    page([row(4)], null, { reasons: ['gap', 'window_not_finished'], gap_ids: ['gap_1', 'gap_2'] }),
  ]);
  const trades = ms.trades.range({ symbol: 'ETHUSD-PERP', from: FROM, to: FROM + 1.5 * HOUR_MS });
  expect((await all(trades)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  expect([trades.partial, trades.gapIds]).toEqual([
    ['gap', 'window_not_finished'],
    ['gap_1', 'gap_2'],
  ]);
  const first = { symbol: 'ETHUSD-PERP', channels: 'trades', start: String(FROM), end: String(FROM + HOUR_MS) };
  expect(sent.map(queryOf)).toEqual([
    first,
    { ...first, cursor: 'c1' },
    { ...first, start: String(FROM + HOUR_MS), end: String(FROM + 1.5 * HOUR_MS) },
  ]);
});

test.each(['book', 'trades', 'context', 'liquidations'] as const)(
  '%s has the same names, and requests nothing beyond the limit',
  async (channel) => {
    const { ms, sent } = clientWith([page([row(1), row(2)], 'c1')]);
    const from = new Date(FROM).toISOString();
    expect(await all<unknown>(ms[channel].range({ from, to: new Date(FROM + 9 * HOUR_MS), limit: 2, asOf: FROM }))).toHaveLength(2);
    expect(sent.map(queryOf)).toEqual([{ channels: channel, start: String(FROM), end: String(FROM + HOUR_MS), as_of: String(FROM) }]);
  },
);

test.each([
  ['candles', { tf: '1h' }],
  ['gaps', { limit: '3' }],
  ['history', { limit: '3' }],
] as const)('%s goes over its own pages', async (group, more) => {
  const { ms, sent } = clientWith([json({ rows: [{}, {}], next_cursor: 'c1' }), json({ rows: [{}, {}], next_cursor: 'c2' })]);
  expect(
    await all<unknown>(ms[group].range({ from: FROM, to: FROM + HOUR_MS, limit: 3, ...(group === 'candles' ? { tf: '1h' } : {}) })),
  ).toHaveLength(3);
  const span = { from: String(FROM), to: String(FROM + HOUR_MS), ...more };
  expect(sent.map(queryOf)).toEqual([span, { ...span, cursor: 'c1' }]);
});

test('an empty or unreadable span is refused before anything is sent', async () => {
  const { ms, sent } = clientWith([]);
  await expect(all(ms.trades.range({ from: FROM, to: FROM }))).rejects.toThrow(RangeError);
  await expect(all(ms.candles.range({ from: 'yesterday' }))).rejects.toThrow(RangeError);
  expect(sent).toEqual([]);
});

const alert = (id: string): object => ({ type: 'alert.triggered', id });

test('alerts are read from now on, through failures that pass, and from an id on', async () => {
  const { ms, sent } = clientWith([
    json({ events: [], next_cursor: 'c0' }),
    json({ events: [alert('a'), alert('b')], next_cursor: 'c2' }),
    problem(503, 'overloaded'),
    problem(503, 'overloaded'),
    problem(503, 'overloaded'),
    json({ events: [alert('c')], next_cursor: 'c3' }),
  ]);
  const had: [string, string][] = [];
  for await (const { id, data } of ms.alerts.stream({ from: 'now' })) {
    had.push([data.id, id]);
    if (had.length === 3) break;
  }
  expect(had).toEqual([
    ['a', 'c0'],
    ['b', 'c2'],
    ['c', 'c3'],
  ]);
  const common = { kinds: 'alert.triggered' };
  expect(queryOf(sent[0] as Sent)).toEqual({ ...common, start: 'now', wait_seconds: '0' });
  expect(sent.slice(1).map((each) => queryOf(each)['cursor'])).toEqual(['c0', 'c2', 'c2', 'c2', 'c2']);
  expect(queryOf(sent[1] as Sent)).toMatchObject({ wait_seconds: '20' });

  const resumed = clientWith([json({ events: [alert('d')], next_cursor: 'c4' })]);
  await resumed.ms.alerts.stream({ resumeFrom: 'c3' }).next();
  expect(queryOf(resumed.sent[0] as Sent)).toEqual({ ...common, cursor: 'c3', wait_seconds: '20' });
  await expect(all(clientWith([problem(403, 'forbidden')]).ms.alerts.stream())).rejects.toMatchObject({ status: 403 });
});
