import { compareEvents, decodeEvent } from '@market-state/market-data';
import { LogFixture, quietMarket, START_MS, SYMBOL } from './log-fixture';
import { failureOf, faultsOf, startDataPlaneSystem, type System } from './rpc-harness';

const TOTAL = 3_700;
const MESSAGE_BYTES_MAX = 1_000_000;

let system: System;
const market = quietMarket(TOTAL);
const payloads = market.entries.map(({ payload }) => Buffer.from(payload).toString('base64'));

beforeAll(async () => {
  system = await startDataPlaneSystem();
  await system.play(market);
});

afterAll(() => system.close());

async function read(afterOrdinal: number, toOrdinal: number): Promise<Buffer[][]> {
  const messages: Buffer[][] = [];
  for await (const { entries } of system.call.streamLogEntries({ symbol: SYMBOL, afterOrdinal, toOrdinal })) messages.push(entries);
  return messages;
}

function texts(messages: readonly Buffer[][]): string[] {
  return messages.flat().map((entry) => entry.toString('base64'));
}

test('every entry of the log comes once, in order and byte for byte, over day partitions and messages', async () => {
  const messages = await read(0, 0);
  expect(texts(messages)).toEqual(payloads);
  expect(messages.length).toBeGreaterThan(3);
  for (const entries of messages) {
    expect(entries.length).toBeLessThanOrEqual(1_000);
    expect(entries.reduce((sum, entry) => sum + entry.length, 0)).toBeLessThan(MESSAGE_BYTES_MAX);
  }
});

test('a span is after its begin and up to its end; past the last entry there is nothing', async () => {
  expect(texts(await read(998, 1_003))).toEqual(payloads.slice(998, 1_003));
  expect(texts(await read(TOTAL - 2, TOTAL + 500))).toEqual(payloads.slice(TOTAL - 2));
  expect(await read(TOTAL, 0)).toEqual([]);
});

test('every fault of a request is named, and a symbol that is not served', async () => {
  const call = (symbol: string, afterOrdinal: number, toOrdinal: number) =>
    system.call.streamLogEntries({ symbol, afterOrdinal, toOrdinal })[Symbol.asyncIterator]().next();
  expect(await faultsOf(call('x', 5, 5))).toEqual(['symbol', 'to_ordinal']);
  expect(await failureOf(call('DOGEUSD-PERP', 0, 0))).toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_symbol' });
});

test('a caller who leaves ends the reading', async () => {
  const stop = new AbortController();
  for await (const { entries } of system.call.streamLogEntries(
    { symbol: SYMBOL, afterOrdinal: 0, toOrdinal: 0 },
    { signal: stop.signal },
  )) {
    expect(entries.length).toBeGreaterThan(0);
    stop.abort();
  }
  expect(texts(await read(0, 1))).toEqual(payloads.slice(0, 1));
});

test('what is larger than a message goes in several, in order', async () => {
  const large = new LogFixture(SYMBOL);
  large.startAfter(TOTAL);
  for (let index = 1; index <= 400; index += 1) large.book(START_MS + 2_000_000 + index, `${'9'.repeat(8_000)}${index}`, '1', '2');
  await system.play(large);
  const messages = await read(TOTAL, 0);
  const venueIds = messages.flat().map((entry) => decodeEvent(entry));
  expect(venueIds).toHaveLength(400);
  expect([...venueIds].sort(compareEvents)).toEqual(venueIds);
  expect(messages.length).toBeGreaterThan(3);
  for (const entries of messages) expect(entries.reduce((sum, entry) => sum + entry.length, 0)).toBeLessThan(MESSAGE_BYTES_MAX);
});

test('a new epoch goes on past the ordinals that were lost with the old one', async () => {
  const next = new LogFixture(SYMBOL);
  next.startAfter(TOTAL + 400);
  next
    .loseLog(50)
    .connected(START_MS + 3_000_000)
    .tick(START_MS + 3_000_000);
  await system.play(next);
  for (const after of [TOTAL + 399, TOTAL + 400]) {
    const entries = (await read(after, 0)).flat().map((entry) => decodeEvent(entry));
    expect(entries.slice(-2).map(({ epoch, ordinal }) => [epoch, ordinal])).toEqual([
      [2, TOTAL + 451],
      [2, TOTAL + 452],
    ]);
  }
});

test.each([
  ['price', 'price + 0.1'],
  ['size', 'size * 2'],
  ['aggressor_side', "CASE aggressor_side WHEN 'buy' THEN 'sell' ELSE 'buy' END"],
  ['venue_id', "venue_id || '0'"],
  ['received_ts_ms', 'received_ts_ms + 1'],
])('a row whose %s was changed is named, and comes as it was appended', async (column, value) => {
  const where = `symbol = '${SYMBOL}' AND channel = 'trade' AND ordinal = (SELECT min(ordinal) FROM log_entry WHERE symbol = '${SYMBOL}'
    AND channel = 'trade')`;
  const { rows } = await system.pool.query<{ ordinal: string; was: string }>(
    `SELECT ordinal, ${column}::text AS was FROM log_entry WHERE ${where}`,
  );
  const [row] = rows;
  await system.owner.query(`UPDATE log_entry SET ${column} = ${value} WHERE ${where}`);
  const named: number[] = [];
  const seen: Buffer[][] = [];
  for await (const message of system.call.streamLogEntries({ symbol: SYMBOL, afterOrdinal: 0, toOrdinal: TOTAL })) {
    named.push(...message.contradictingOrdinals);
    seen.push(message.entries);
  }
  const type = column === 'received_ts_ms' ? 'bigint' : column === 'aggressor_side' || column === 'venue_id' ? 'text' : 'numeric';
  await system.owner.query(`UPDATE log_entry SET ${column} = $1::${type} WHERE ${where}`, [row?.was]);
  expect(named).toEqual([Number(row?.ordinal)]);
  expect(texts(seen)).toEqual(payloads);
});

test('a missing entry in the middle ends the stream after the entries before it, and names the ordinals around it', async () => {
  await system.owner.query('DELETE FROM log_entry WHERE symbol = $1 AND ordinal BETWEEN 1500 AND 1502', [SYMBOL]);
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { entries } of system.call.streamLogEntries({ symbol: SYMBOL, afterOrdinal: 0, toOrdinal: 0 }))
      seen.push(...texts([entries]));
  })();
  expect(await failureOf(reading)).toMatchObject({
    code: 'FAILED_PRECONDITION',
    reason: 'log_incomplete',
    metadata: { after_ordinal: '1499', next_ordinal: '1503' },
  });
  expect(seen).toEqual(payloads.slice(0, 1_499));
  expect(texts(await read(1_502, 1_510))).toEqual(payloads.slice(1_502, 1_510));
  expect(await failureOf(read(1_499, 0))).toMatchObject({ reason: 'log_incomplete' });
  await system.owner.query('DELETE FROM log_entry WHERE symbol = $1 AND ordinal > $2', [SYMBOL, TOTAL + 400]);
  expect(await failureOf(read(TOTAL + 390, 0))).toMatchObject({
    reason: 'log_incomplete',
    metadata: { after_ordinal: String(TOTAL + 400) },
  });
});

test('entries that are no longer kept are said to be, with the first that is', async () => {
  await system.owner.query('DELETE FROM log_entry WHERE symbol = $1 AND ordinal < 1000', [SYMBOL]);
  for (const after of [0, 998]) {
    expect(await failureOf(read(after, 0))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'log_not_retained',
      metadata: { first_ordinal: '1000' },
    });
  }
  expect(texts(await read(999, 1_010))).toEqual(payloads.slice(999, 1_010));
  await system.owner.query('DELETE FROM log_entry WHERE symbol = $1', [SYMBOL]);
  expect(await failureOf(read(5, 0))).toMatchObject({ reason: 'log_not_retained', metadata: {} });
});
