import { readShardSettings } from '@market-state/market-data';
import { labelPurely, type LabelingBench, type RunningLabeling, startBench } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

/** Two of them in each of two shards; 1, 1 and 2 in three. */
const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP', 'SIMUSD-PERP', 'SOLUSD-PERP'];
const SECONDS = 100;
const startMs = Math.floor(Date.now() / 10_000) * 10_000 - SECONDS * 1_000;
const logs = SYMBOLS.map((symbol, index) => ({
  symbol,
  events: syntheticLog({ symbol, seconds: SECONDS, seed: index + 1, stepMs: 1_000, startMs }),
}));
const expected = new Map(logs.map(({ symbol, events }) => [symbol, labelPurely(events)]));
const digestsOf = (symbol: string): string[] => (expected.get(symbol) ?? []).map(({ packetDigest }) => packetDigest);

let bench: LabelingBench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.stop());

/** The processes of so many shards. */
function startShards(count: number): Promise<RunningLabeling[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => startShard(count, index)));
}

function startShard(count: number, index: number): Promise<RunningLabeling> {
  const variables = { SHARD_COUNT: String(count), SHARD_INDEX: `labeling-${index}` };
  const { symbols } = readShardSettings(variables, SYMBOLS, () => '');
  return bench.start({}, symbols, { servedSymbols: SYMBOLS });
}

/** Appends the entries between two parts of every log, 0 to 1, and waits for the packets that they close. */
async function append(from: number, to: number): Promise<void> {
  for (const { events } of logs) await bench.append(events.slice(Math.round(events.length * from), Math.round(events.length * to)));
  for (const { symbol, events } of logs) {
    const closed = expected.get(symbol)?.filter(({ closingOrdinal }) => closingOrdinal <= Math.round(events.length * to)).length ?? 0;
    await bench.waitForPackets(symbol, closed);
  }
}

/** Every symbol has the packets of an unsharded run, in a row, and nothing was refused or missing. */
async function expectWhole(): Promise<void> {
  for (const { symbol } of logs) {
    await expect(bench.storedDigests(symbol)).resolves.toEqual(digestsOf(symbol));
    const rows = await bench.sql<{ sequence: number }>('SELECT sequence::int FROM packet WHERE symbol = $1 ORDER BY window_end_ms', [
      symbol,
    ]);
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_row, index) => index + 1));
  }
  expect(bench.lines.filter((line) => line.includes('refused') || line.includes('missing'))).toEqual([]);
}

const closeAll = (all: readonly RunningLabeling[]): Promise<unknown> => Promise.all(all.map((running) => running.close()));

test('one shard, then two, then three, then one: each symbol goes on from its position, with the packets of an unsharded run', async () => {
  const steps = [1, 2, 3, 1];
  for (const [step, count] of steps.entries()) {
    const running = await startShards(count);
    await append(step / steps.length, (step + 1) / steps.length);
    await closeAll(running);
  }
  await expectWhole();
});

test('while an old owner still runs next to the new ones, no packet is duplicated or lost, and each streams a symbol’s packets in order', async () => {
  const [old] = await startShards(1);
  await append(0, 0.3);
  const two = await startShards(2);
  const all = [old as RunningLabeling, ...two];
  const heard = all.map(() => new Map<string, number[]>());
  const streams = all.map(async ({ client }, at) => {
    for await (const { message } of client.call.streamPackets({ symbols: [] })) {
      if (message?.$case !== 'packet') continue;
      const { symbol, windowEndMs } = message.value;
      heard[at]?.set(symbol, [...(heard[at]?.get(symbol) ?? []), windowEndMs]);
    }
  });
  // Each ends with its process.
  const listening = Promise.allSettled(streams);
  for (const part of [0.4, 0.5, 0.6]) await append(part - 0.1, part);
  await all[0]?.close();
  await append(0.6, 1);
  await closeAll(two);
  await listening;
  await expectWhole();
  for (const pushed of heard)
    for (const [symbol, windows] of pushed) {
      const made = (expected.get(symbol) ?? []).map(({ windowEndMs }) => windowEndMs);
      const begin = made.indexOf(windows[0] ?? 0);
      expect(windows).toEqual(made.slice(begin, begin + windows.length));
    }
  expect(heard.map((pushed) => [...pushed.keys()].sort())).toEqual([SYMBOLS, SYMBOLS.slice(0, 2), SYMBOLS.slice(2)]);
});

test('each process answers of every symbol, finds what another has just pushed, and streams its own symbols alone', async () => {
  const two = await startShards(2);
  await append(0, 0.5);
  const [one, other] = two as [RunningLabeling, RunningLabeling];
  const span = { fromWindowEndMs: 0, toWindowEndMs: 0, asOfMs: 0, pageSize: 1_000, pageToken: '' };
  for (const { client } of two)
    for (const { symbol } of logs) {
      const [{ packet }, { packets }, { events }] = await Promise.all([
        client.call.getLatestPacket({ symbol, asOfMs: 0 }),
        client.call.listPackets({ symbol, ...span, descending: false }),
        client.call.listHistory({ symbol, ...span, state: '', eventClass: '' }),
      ]);
      expect(packets.map(({ packetDigest }) => packetDigest)).toEqual(digestsOf(symbol).slice(0, packets.length));
      expect(packets.at(-1)?.packetDigest).toBe(packet?.packetDigest);
      expect(events.map(({ eventId }) => eventId)).toEqual(packets.map(({ eventId }) => eventId));
    }
  const [first] = SYMBOLS as [string];
  await bench.append((logs[0]?.events ?? []).slice(Math.round((logs[0]?.events.length ?? 0) / 2)));
  for await (const { message } of one.client.call.streamPackets({ symbols: [first] })) {
    if (message?.$case !== 'packet' || message.value.packetDigest !== digestsOf(first).at(-1)) continue;
    const { events } = await other.client.call.listHistory({ symbol: first, ...span, state: '', eventClass: '' });
    expect(events.at(-1)?.eventId).toBe(message.value.eventId);
    break;
  }

  for await (const { message } of other.client.call.streamPackets({ symbols: [] })) {
    expect(message).toMatchObject({ value: { symbols: SYMBOLS.slice(2), servedSymbols: SYMBOLS } });
    break;
  }
  const stream = other.client.call.streamPackets({ symbols: [first] })[Symbol.asyncIterator]();
  await expect(stream.next()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'other_shard' });
  await closeAll(two);
});
