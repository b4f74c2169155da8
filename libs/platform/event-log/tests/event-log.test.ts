import { silentLogger } from '@market-state/logging';
import { Redis } from 'ioredis';
import { createEventLog, type EventLog, type LogEntry, LOG_START, streamKey } from '../src';
import { createRedisProcess, type RedisProcess } from './redis-process';

let redis: RedisProcess;
let log: EventLog;
let next = 0;

/** Unique per test. */
function symbol(): string {
  next += 1;
  return `T${next}USD-PERP`;
}

function entries(from: number, to: number, epoch = 1): LogEntry[] {
  return Array.from({ length: to - from + 1 }, (_unused, index) => ({
    epoch,
    ordinal: from + index,
    payload: Buffer.from([0x00, 0xff, 0x0a, epoch, from + index]),
  }));
}

function ordinals(read: readonly LogEntry[]): number[] {
  return read.map((entry) => entry.ordinal);
}

beforeAll(async () => {
  redis = await createRedisProcess({ persistent: false });
  await redis.start();
  log = createEventLog(redis.url, { logger: silentLogger() });
});

afterAll(async () => {
  await log.close();
  await redis.remove();
});

test('entries come back in order with their bytes unchanged', async () => {
  const s = symbol();
  await log.append(s, entries(1, 5));
  const read = await log.read(s, LOG_START, { count: 10 });
  expect(read.map(({ epoch, ordinal, payload }) => ({ epoch, ordinal, payload: Buffer.from(payload) }))).toEqual(entries(1, 5));
  expect(ordinals(await log.read(s, { epoch: 1, ordinal: 3 }, { count: 10 }))).toEqual([4, 5]);
  expect(ordinals(await log.readLast(s, 2))).toEqual([4, 5]);
  expect(ordinals(await log.readBefore(s, { epoch: 1, ordinal: 4 }, 2))).toEqual([2, 3]);
  expect(await log.lastId(s)).toEqual({ epoch: 1, ordinal: 5 });
  expect(await log.firstId(s)).toEqual({ epoch: 1, ordinal: 1 });
  expect(await log.length(s)).toBe(5);
});

test('a reader that is behind gets the same entries as one that keeps up, into a higher epoch too', async () => {
  const s = symbol();
  const written = [
    ...entries(1, 100),
    ...entries(150, 250, 7),
    { epoch: 8, ordinal: 251, payload: Buffer.alloc(100_000, 3) },
    { epoch: 8, ordinal: 252, payload: Buffer.alloc(0) },
  ];
  await log.append(s, written);
  const stop = new AbortController();
  for (const count of [7, 101, 1_000]) {
    const followed: LogEntry[] = [];
    for await (const batch of log.follow(s, LOG_START, stop.signal, { count })) {
      expect(batch.length).toBeLessThanOrEqual(count);
      followed.push(...batch);
      if (followed.length === written.length) break;
    }
    expect(followed.map(({ epoch, ordinal, payload }) => ({ epoch, ordinal, payload: Buffer.from(payload) }))).toEqual(written);
  }
});

test('an empty log has no ids and gives nothing', async () => {
  const s = symbol();
  expect(await log.lastId(s)).toBeUndefined();
  expect(await log.read(s, LOG_START, { count: 1 })).toEqual([]);
  await log.append(s, []);
  expect(await log.length(s)).toBe(0);
});

test('appending again what is there changes nothing, also when the batches overlap', async () => {
  const s = symbol();
  await log.append(s, entries(1, 4));
  await log.append(s, entries(1, 4));
  await log.append(s, entries(3, 6));
  expect(ordinals(await log.read(s, LOG_START, { count: 10 }))).toEqual([1, 2, 3, 4, 5, 6]);
});

test('another process that appends the same adds nothing', async () => {
  const s = symbol();
  await log.append(s, entries(1, 4));
  const second = createEventLog(redis.url, { logger: silentLogger() });
  await second.append(s, entries(2, 5));
  await second.close();
  expect(await log.length(s)).toBe(5);
});

test('entries that were trimmed are taken for written', async () => {
  const s = symbol();
  await log.append(s, entries(1, 6));
  expect(await log.trim(s, { epoch: 1, ordinal: 4 })).toBe(3);
  await log.append(s, entries(2, 7));
  expect(ordinals(await log.read(s, LOG_START, { count: 10 }))).toEqual([4, 5, 6, 7]);
});

test('other bytes at a place that is taken are refused as a conflict', async () => {
  const s = symbol();
  await log.append(s, entries(1, 3));
  await expect(log.append(s, [{ epoch: 1, ordinal: 3, payload: Buffer.from('other') }])).rejects.toMatchObject({ kind: 'conflict' });
  expect(await log.length(s)).toBe(3);
});

test('a second writer that went ahead is refused as a conflict and leaves no gap', async () => {
  const s = symbol();
  await log.append(s, entries(1, 3));
  const second = createEventLog(redis.url, { logger: silentLogger() });
  await second.append(s, entries(6, 8));
  await second.close();
  await expect(log.append(s, entries(4, 7))).rejects.toMatchObject({ kind: 'conflict' });
});

test('a higher epoch follows a lower one, and readers go on into it', async () => {
  const s = symbol();
  await log.append(s, entries(1, 3, 1));
  await log.append(s, entries(4, 5, 2));
  expect(ordinals(await log.read(s, { epoch: 1, ordinal: 2 }, { count: 10 }))).toEqual([3, 4, 5]);
  expect(await log.lastId(s)).toEqual({ epoch: 2, ordinal: 5 });
});

test('following gives what is there in bounded batches, then what comes, and ends with its signal', async () => {
  const s = symbol();
  await log.append(s, entries(1, 5));
  const stop = new AbortController();
  const batches: number[][] = [];
  for await (const batch of log.follow(s, { epoch: 1, ordinal: 1 }, stop.signal, { count: 3 })) {
    batches.push(ordinals(batch));
    if (batches.length === 2) await log.append(s, entries(6, 6));
    if (batches.length === 3) stop.abort();
  }
  expect(batches).toEqual([[2, 3, 4], [5], [6]]);
});

test('following ends at once while nothing comes', async () => {
  const stop = new AbortController();
  const following = log.follow(symbol(), LOG_START, stop.signal);
  const waiting = following.next();
  setImmediate(() => stop.abort());
  expect((await waiting).done).toBe(true);
});

test('positions are kept per consumer and never go back', async () => {
  const s = symbol();
  await log.setPosition(s, 'recorder', { epoch: 1, ordinal: 7 });
  await log.setPosition(s, 'labeling', { epoch: 1, ordinal: 4 });
  await log.setPosition(s, 'recorder', { epoch: 1, ordinal: 5 });
  expect(await log.positions(s)).toEqual({ recorder: { epoch: 1, ordinal: 7 }, labeling: { epoch: 1, ordinal: 4 } });
});

test('memory in use and the round trip are reported', async () => {
  const memory = await log.memoryUsage(symbol());
  expect(memory.usedBytes).toBeGreaterThan(0);
  expect(memory.limitBytes).toBe(0);
  expect(await log.ping()).toBeGreaterThan(0);
});

test('a stream that is removed while it is appended to is lost at the next append, and begins again in a new epoch only', async () => {
  const s = symbol();
  await log.append(s, entries(1, 5));
  const other = new Redis(redis.url);
  await other.del(streamKey(s));
  other.disconnect();
  await expect(log.append(s, entries(6, 8))).rejects.toMatchObject({ kind: 'lost' });
  expect(await log.length(s)).toBe(0);
  await log.append(s, entries(9, 10, 2));
  expect(ordinals(await log.read(s, LOG_START, { count: 10 }))).toEqual([9, 10]);
});

test('followers share one connection, and a slow one holds up no other', async () => {
  const [slow, fast] = [symbol(), symbol()];
  const stop = new AbortController();
  const admin = new Redis(redis.url);
  try {
    await log.append(slow, entries(1, 60));
    const neverRead = log.follow(slow, LOG_START, stop.signal, { count: 10 });
    const reading = log.follow(fast, LOG_START, stop.signal);
    expect(ordinals((await neverRead.next()).value ?? [])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (let ordinal = 1; ordinal <= 30; ordinal += 1) {
      await log.append(fast, entries(ordinal, ordinal));
      expect(ordinals((await reading.next()).value ?? [])).toEqual([ordinal]);
    }
    const clients = String(await admin.client('LIST'));
    expect(clients.match(/name=market-state-follow/g)).toHaveLength(1);
    const rest: number[] = [];
    while (rest.length < 50) rest.push(...ordinals((await neverRead.next()).value ?? []));
    expect(rest).toEqual(Array.from({ length: 50 }, (_unused, index) => index + 11));
  } finally {
    stop.abort();
    admin.disconnect();
  }
});

test('two followers of a symbol each get all of its entries', async () => {
  const s = symbol();
  const stop = new AbortController();
  await log.append(s, entries(1, 5));
  const [one, other] = [log.follow(s, LOG_START, stop.signal), log.follow(s, { epoch: 1, ordinal: 3 }, stop.signal)];
  expect(ordinals((await one.next()).value ?? [])).toEqual([1, 2, 3, 4, 5]);
  expect(ordinals((await other.next()).value ?? [])).toEqual([4, 5]);
  stop.abort();
});
