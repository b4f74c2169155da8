import { silentLogger } from '@market-state/logging';
import { Redis } from 'ioredis';
import { createEventLog, type EventLog, type LogEntry, LOG_START } from '../src';
import { createRedisProcess, type RedisProcess } from './redis-process';

const SYMBOL = 'BTCUSD-PERP';
let redis: RedisProcess;
let log: EventLog;

function entries(from: number, to: number, epoch = 1): LogEntry[] {
  return Array.from({ length: to - from + 1 }, (_unused, index) => ({
    epoch,
    ordinal: from + index,
    payload: Buffer.from(`entry ${from + index}`),
  }));
}

async function open(persistent: boolean): Promise<void> {
  redis = await createRedisProcess({ persistent });
  await redis.start();
  log = createEventLog(redis.url, { logger: silentLogger() });
}

afterEach(async () => {
  await log.close();
  await redis.remove();
});

test('a store that is killed between two appends leaves every entry once, in order, for a follower and in the log', async () => {
  await open(true);
  const stop = new AbortController();
  const seen: number[] = [];
  const reading = (async () => {
    for await (const batch of log.follow(SYMBOL, LOG_START, stop.signal, { count: 50 })) {
      seen.push(...batch.map((entry) => entry.ordinal));
      if (seen.length >= 40) stop.abort();
    }
  })();
  await log.append(SYMBOL, entries(1, 20));
  await redis.stop('SIGKILL');
  await redis.start();
  await log.append(SYMBOL, entries(21, 40));
  await reading;
  const expected = entries(1, 40).map((entry) => entry.ordinal);
  expect(seen).toEqual(expected);
  expect((await log.read(SYMBOL, LOG_START, { count: 100 })).map((entry) => entry.ordinal)).toEqual(expected);
});

test('a store that lost entries is distinguished from one that kept them: the writer gets an error, raises the epoch and continues', async () => {
  await open(false);
  await log.append(SYMBOL, entries(1, 10));
  await redis.stop('SIGKILL');
  await redis.start();
  await expect(log.append(SYMBOL, entries(11, 12))).rejects.toMatchObject({ kind: 'lost' });
  expect(await log.length(SYMBOL)).toBe(0);
  await log.append(SYMBOL, entries(11, 12, 2));
  expect(await log.lastId(SYMBOL)).toEqual({ epoch: 2, ordinal: 12 });
});

test('a store that was flushed while the connection stayed is noticed on the next connection', async () => {
  await open(false);
  await log.append(SYMBOL, entries(1, 3));
  const admin = new Redis(redis.url);
  await admin.flushall();
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  admin.disconnect();
  await expect(log.append(SYMBOL, entries(4, 4))).rejects.toMatchObject({ kind: 'lost' });
});

test('a store without memory refuses the whole batch, and takes it when there is room again', async () => {
  await open(false);
  await log.append(SYMBOL, entries(1, 2));
  const admin = new Redis(redis.url);
  await admin.config('SET', 'maxmemory', '1');
  await expect(log.append(SYMBOL, entries(3, 6))).rejects.toMatchObject({ kind: 'full' });
  expect((await log.memoryUsage(SYMBOL)).limitBytes).toBe(1);
  await admin.config('SET', 'maxmemory', '0');
  admin.disconnect();
  await log.append(SYMBOL, entries(3, 6));
  expect(await log.length(SYMBOL)).toBe(6);
});

test('an append that waits for the store ends with its signal, and with the log', async () => {
  await open(false);
  await redis.stop();
  const stop = new AbortController();
  const waiting = log.append(SYMBOL, entries(1, 1), stop.signal);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  const other = log.append(SYMBOL, entries(1, 1));
  const refused = expect(other).rejects.toMatchObject({ kind: 'closed' });
  await log.close();
  await refused;
});
