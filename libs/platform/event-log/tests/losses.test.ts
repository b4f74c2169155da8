import { silentLogger } from '@market-state/logging';
import { waitUntil } from '@market-state/testing';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { createEventLog, type EventLog, LOG_START, type LogEntry, streamKey } from '../src';
import { createAppender } from '../src/append';
import { formatEntryId, readEntries, openLogRedis } from '../src/log-redis';
import { createRedisProcess, type RedisProcess } from './redis-process';

const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 10) };
const TAIL = { entries: 40, ageMs: 60_000 };
const logger = silentLogger();

let redis: RedisProcess;
let admin: Redis;
let log: EventLog;
let symbols = 0;

beforeAll(async () => {
  redis = await createRedisProcess({ persistent: false });
  await redis.start();
  admin = new Redis(redis.url);
  log = createEventLog(redis.url, { logger });
});

afterAll(async () => {
  admin.disconnect();
  await log.close();
  await redis.remove();
});

type Step =
  | { readonly kind: 'append'; readonly sizes: readonly number[]; readonly epochRises: boolean }
  | { readonly kind: 'lose'; readonly newest: number; readonly thenCut: boolean }
  | { readonly kind: 'cut' };

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('append' as const),
        sizes: fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 25 }),
        epochRises: fc.integer({ min: 0, max: 7 }).map((draw) => draw === 0),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('lose' as const), newest: fc.integer({ min: 1, max: 60 }), thenCut: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'cut' as const }) },
  ),
  { minLength: 3, maxLength: 16 },
);

const append = (entries: number): Step => ({ kind: 'append', sizes: Array.from({ length: entries }, () => 10), epochRises: false });
/** Less is lost than the tail holds. */
const repaired: Step[] = [append(10), { kind: 'lose', newest: 5, thenCut: true }, append(3)];
/** More is lost than the tail holds. */
const beyondRepair: Step[] = [append(25), append(25), { kind: 'lose', newest: 45, thenCut: false }, append(3)];

/** Truncates the stream like a replica that missed the newest entries, including its last id. */
async function loseNewest(symbol: string, stored: readonly LogEntry[]): Promise<void> {
  const batch = admin.multi().del(streamKey(symbol));
  for (const entry of stored) batch.xadd(streamKey(symbol), formatEntryId(entry), 'e', Buffer.from(entry.payload));
  await batch.exec();
}

async function cutConnections(): Promise<void> {
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
}

function copies(entries: readonly LogEntry[]): string[] {
  return entries.map((entry) => `${formatEntryId(entry)} ${Buffer.from(entry.payload).toString('hex')}`);
}

/** Uses a connection that no step cuts. */
async function inStore(symbol: string): Promise<string[]> {
  return copies(readEntries(await admin.xrangeBuffer(streamKey(symbol), '-', '+')));
}

/** Plays the steps; returns the expected log and the number of re-appended entries. */
async function play(drawn: readonly Step[], symbol: string) {
  const closed = new AbortController();
  const appending = openLogRedis(redis.url, logger);
  let repaired = 0;
  const appender = createAppender({
    redis: appending,
    logger,
    closed: closed.signal,
    fenceOf: () => 0,
    onRepaired: (_, total) => (repaired += total),
    tailLimits: TAIL,
  });
  let stored: LogEntry[] = [];
  let [epoch, ordinal, lostTotal, lostBatches, seed, unbroken] = [1, 0, 0, 0, 0, 0];
  let lost: LogEntry[] = [];
  for (const step of drawn) {
    if (step.kind === 'cut') await cutConnections();
    else if (step.kind === 'lose') {
      const kept = Math.max(0, stored.length - step.newest);
      lost = [...stored.slice(kept), ...lost];
      stored = stored.slice(0, kept);
      await loseNewest(symbol, stored);
      if (step.thenCut) await cutConnections();
    } else {
      if (step.epochRises && lost.length === 0) epoch += 1;
      const next = (): LogEntry[] =>
        step.sizes.map((size) => ({ epoch, ordinal: (ordinal += 1), payload: Buffer.alloc(size, (seed += 1)) }));
      const entries = next();
      const canRepair = lost.length === 0 || (stored.length > 0 && lost.length <= Math.min(TAIL.entries, unbroken));
      if (canRepair) {
        await appender.append(symbol, entries);
        lostTotal += lost.length;
        stored = [...stored, ...lost, ...entries];
        unbroken += entries.length;
      } else {
        await expect(appender.append(symbol, entries)).rejects.toMatchObject({ kind: 'lost' });
        expect(await inStore(symbol)).toEqual(copies(stored));
        lostBatches += 1;
        epoch += 1;
        const raised = next();
        await appender.append(symbol, raised);
        stored = [...stored, ...raised];
        unbroken = raised.length;
      }
      lost = [];
    }
  }
  closed.abort();
  appending.disconnect();
  return { stored, repaired, lostTotal, lostBatches };
}

test('entries lost after an entry in the tail are appended again under their own ids; entries lost before it require a new epoch', async () => {
  let [repairs, epochs] = [0, 0];
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const symbol = `L${(symbols += 1)}USD-PERP`;
      const { stored, repaired, lostTotal, lostBatches } = await play(drawn, symbol);
      expect(await inStore(symbol)).toEqual(copies(stored));
      expect(repaired).toBe(lostTotal);
      repairs += lostTotal;
      epochs += lostBatches;
    }),
    { ...RUNS, examples: [[repaired], [beyondRepair]] },
  );
  expect(Math.min(repairs, epochs)).toBeGreaterThan(0);
});

test('a reader that had read past the end that is left goes on behind what is appended again: no entry twice, none missing', async () => {
  const symbol = `L${(symbols += 1)}USD-PERP`;
  const entries = (from: number, to: number): LogEntry[] =>
    Array.from({ length: to - from + 1 }, (_, at) => ({ epoch: 1, ordinal: from + at, payload: Buffer.from(`entry ${from + at}`) }));
  const stop = new AbortController();
  const seen: number[] = [];
  let onSeen: () => void = () => undefined;
  const untilSeen = (total: number): Promise<void> =>
    new Promise((resolve) => {
      onSeen = () => seen.length >= total && resolve();
      onSeen();
    });
  const reading = (async () => {
    for await (const batch of log.follow(symbol, LOG_START, stop.signal)) {
      seen.push(...batch.map(({ ordinal }) => ordinal));
      onSeen();
    }
  })();
  await log.append(symbol, entries(1, 50));
  await untilSeen(50);
  await loseNewest(symbol, entries(1, 30));
  await log.append(symbol, entries(51, 60));
  await untilSeen(60);
  stop.abort();
  await reading;
  expect(seen).toEqual(entries(1, 60).map(({ ordinal }) => ordinal));
  expect((await log.read(symbol, LOG_START, { count: 100 })).map(({ ordinal }) => ordinal)).toEqual(seen);
});

test('another writer at the place of what was lost is a conflict', async () => {
  const symbol = `L${(symbols += 1)}USD-PERP`;
  const entry = (ordinal: number, text = `entry ${ordinal}`): LogEntry => ({ epoch: 1, ordinal, payload: Buffer.from(text) });
  await log.append(symbol, [entry(1), entry(2), entry(3), entry(4)]);
  await loseNewest(symbol, [entry(1), entry(2), entry(3, 'of another writer')]);
  await expect(log.append(symbol, [entry(5)])).rejects.toMatchObject({ kind: 'conflict' });
});

test('entries that were removed one by one cannot be given again: the log is lost', async () => {
  const symbol = `L${(symbols += 1)}USD-PERP`;
  const entry = (ordinal: number): LogEntry => ({ epoch: 1, ordinal, payload: Buffer.from(`entry ${ordinal}`) });
  await log.append(symbol, [entry(1), entry(2), entry(3)]);
  await admin.xdel(streamKey(symbol), '1-3');
  await expect(log.append(symbol, [entry(4)])).rejects.toMatchObject({ kind: 'lost' });
});

test('a store that lost entries and refuses writes until a replica is back gets them and the next ones then', async () => {
  const symbol = `L${(symbols += 1)}USD-PERP`;
  const entry = (ordinal: number): LogEntry => ({ epoch: 1, ordinal, payload: Buffer.from(`entry ${ordinal}`) });
  await log.append(symbol, [entry(1), entry(2), entry(3)]);
  await loseNewest(symbol, [entry(1)]);
  await admin.config('SET', 'min-replicas-to-write', '1');
  const appending = log.append(symbol, [entry(4)]);
  const refused = waitUntil('a refused write', async () => (await admin.info('errorstats')).includes('errorstat_NOREPLICAS'));
  await Promise.race([refused, appending]);
  await admin.config('SET', 'min-replicas-to-write', '0');
  await appending;
  expect(await inStore(symbol)).toEqual(copies([1, 2, 3, 4].map(entry)));
});
