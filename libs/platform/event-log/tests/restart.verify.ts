import { silentLogger } from '@market-state/logging';
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

beforeAll(async () => {
  redis = await createRedisProcess({ persistent: true });
  await redis.start();
  log = createEventLog(redis.url, { logger: silentLogger() });
});

afterAll(async () => {
  await log.close();
  await redis.remove();
});

test('kills of the store while a writer appends leave every entry once, in order, for a follower and in the log', async () => {
  const total = 2_000;
  const stop = new AbortController();
  const seen: number[] = [];
  const reading = (async () => {
    for await (const batch of log.follow(SYMBOL, LOG_START, stop.signal, { count: 50 })) {
      seen.push(...batch.map((entry) => entry.ordinal));
      if (seen.length >= total) stop.abort();
    }
  })();
  let killing: Promise<void> | undefined;
  for (let from = 1; from <= total; from += 20) {
    const appended = log.append(SYMBOL, entries(from, from + 19));
    if (from % 400 === 1) killing = redis.stop('SIGKILL').then(() => redis.start());
    await appended;
    await killing;
  }
  await reading;
  const expected = entries(1, total).map((entry) => entry.ordinal);
  expect(seen).toEqual(expected);
  expect((await log.read(SYMBOL, LOG_START, { count: total + 1 })).map((entry) => entry.ordinal)).toEqual(expected);
});
