import { silentLogger } from '@market-state/logging';
import fc from 'fast-check';
import { createEventLog, type EventLog, isEventLogError, type LogEntry, LOG_START } from '../src';
import { createRedisProcess, type RedisProcess } from './redis-process';

const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 30) };
const logger = silentLogger();
let redis: RedisProcess;
let logs: EventLog[] = [];
let symbols = 0;

beforeAll(async () => {
  redis = await createRedisProcess({ persistent: false });
  await redis.start();
  logs = Array.from({ length: 3 }, () => createEventLog(redis.url, { logger }));
});
afterAll(async () => {
  await Promise.all(logs.map((log) => log.close()));
  await redis.remove();
});

function nextSymbol(): string {
  return `F${(symbols += 1)}USD-PERP`;
}

function writer(which: number): EventLog {
  const log = logs[which];
  if (log === undefined) throw new Error('no such writer');
  return log;
}

function entry(ordinal: number, by: number): LogEntry {
  return { epoch: 1, ordinal, payload: Buffer.from([by]) };
}

test('once a newer fence is claimed, a writer with an older one, or with none, can neither append nor trim, and gets an error', async () => {
  const symbol = nextSymbol();
  expect(await writer(0).claim(symbol, 4)).toBe(4);
  await writer(0).append(symbol, [entry(1, 0), entry(2, 0)]);
  expect(await writer(1).claim(symbol, 7)).toBe(7);
  await expect(writer(0).append(symbol, [entry(3, 0)])).rejects.toMatchObject({ kind: 'fenced' });
  await expect(writer(2).append(symbol, [entry(3, 2)])).rejects.toMatchObject({ kind: 'fenced' });
  await expect(writer(0).trim(symbol, { epoch: 1, ordinal: 2 })).rejects.toMatchObject({ kind: 'fenced' });
  await writer(1).append(symbol, [entry(3, 1)]);
  expect((await writer(2).read(symbol, LOG_START, { count: 10 })).map(({ payload }) => payload[0])).toEqual([0, 0, 1]);
  expect(await writer(1).trim(symbol, { epoch: 1, ordinal: 2 })).toBe(1);
});

test('a claim that is not newer changes nothing, and says which fence is the newest', async () => {
  const symbol = nextSymbol();
  await writer(0).claim(symbol, 9);
  expect(await writer(1).claim(symbol, 5)).toBe(9);
  await writer(0).append(symbol, [entry(1, 0)]);
  await expect(writer(1).append(symbol, [entry(2, 1)])).rejects.toMatchObject({ kind: 'fenced' });
});

const turns = fc.array(fc.record({ entries: fc.integer({ min: 1, max: 12 }), pausedAt: fc.nat(11) }), {
  minLength: 2,
  maxLength: 12,
});

/**
 * In each step a writer takes over while earlier ones continue unaware, like processes suspended between two appends.
 */
test('at every pause of a writer, no entry of an older writer follows one of a newer writer, and no acknowledged entry is lost', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(turns, async (drawn) => {
      const symbol = nextSymbol();
      const acknowledged: string[] = [];
      const paused: (() => Promise<void>)[] = [];
      for (const [turn, { entries, pausedAt }] of drawn.entries()) {
        const log = writer(turn % logs.length);
        expect(await log.claim(symbol, turn + 1)).toBe(turn + 1);
        const end = (await log.lastId(symbol))?.ordinal ?? 0;
        const write = async (from: number, to: number): Promise<void> => {
          for (let ordinal = end + 1 + from; ordinal <= end + to; ordinal += 1) {
            await log.append(symbol, [entry(ordinal, turn)]);
            acknowledged.push(`${ordinal} ${turn}`);
          }
        };
        await write(0, Math.min(pausedAt, entries));
        const late = paused.splice(0).map((goOn) => goOn());
        if (turn < drawn.length - 1) paused.push(() => write(Math.min(pausedAt, entries), entries).catch(count));
        await Promise.all(late);
      }
      await Promise.all(paused.map((goOn) => goOn()));
      const stored = (await writer(0).read(symbol, LOG_START, { count: 1_000 })).map(({ ordinal, payload }) => `${ordinal} ${payload[0]}`);
      const byTurn = stored.map((text) => Number(text.split(' ')[1]));
      expect(byTurn).toEqual([...byTurn].sort((a, b) => a - b));
      expect(stored).toEqual(acknowledged);
    }),
    RUNS,
  );
  expect(refused).toBeGreaterThan(0);

  function count(error: unknown): void {
    // It may find the other's entry before its own append.
    if (!isEventLogError(error, 'fenced') && !isEventLogError(error, 'conflict')) throw error;
    refused += 1;
  }
});
