import type { StoredPacket } from './packet';
import { createPacketFeed, READER_BUFFER_MAX } from './packet-feed';

function packetOf(symbol: string, sequence: number): StoredPacket {
  return {
    symbol,
    sequence,
    windowEndMs: sequence * 10_000,
    packetId: `pkt_${symbol}_${sequence}`,
    eventId: `evt_${symbol}_${sequence}`,
    body: '{}',
    packetDigest: '',
    lineageDigest: '',
    inputDigest: '',
    policyDigest: '',
    headline: '',
    customerNextStep: '',
    sourceKind: 'recorded',
    generatedTsMs: sequence,
    sourceLagMs: 0,
    signature: null,
    closing: null,
    knownTsMs: sequence,
  };
}

const forEver = new AbortController().signal;
const neverIdleMs = 3_600_000;

async function take(stream: AsyncIterator<StoredPacket | undefined>, total: number): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < total) {
    const { value } = await stream.next();
    taken.push(value === undefined ? 'idle' : `${value.symbol}${value.sequence}`);
  }
  return taken;
}

describe('a reader of packets', () => {
  test('gets the newest of each symbol first, then each later one once and in order', async () => {
    const feed = createPacketFeed([packetOf('A', 7), packetOf('B', 3)]);
    const stream = feed.open(['A', 'B'], neverIdleMs, forEver)[Symbol.asyncIterator]();
    expect(await take(stream, 2)).toEqual(['A7', 'B3']);
    for (const packet of [packetOf('A', 6), packetOf('A', 7), packetOf('A', 8), packetOf('B', 4), packetOf('A', 8), packetOf('A', 9)])
      feed.publish(packet);
    expect(await take(stream, 3)).toEqual(['A8', 'B4', 'A9']);
  });

  test('gets only the symbols that it asked for', async () => {
    const feed = createPacketFeed([packetOf('A', 1), packetOf('B', 1)]);
    const stream = feed.open(['B'], neverIdleMs, forEver)[Symbol.asyncIterator]();
    expect(await take(stream, 1)).toEqual(['B1']);
    feed.publish(packetOf('A', 2));
    feed.publish(packetOf('B', 2));
    expect(await take(stream, 1)).toEqual(['B2']);
  });

  test('that is too slow continues with the newest packet of each symbol and blocks no other reader', async () => {
    const feed = createPacketFeed([]);
    const slow = feed.open(['A', 'B'], neverIdleMs, forEver)[Symbol.asyncIterator]();
    const first = take(slow, 1);
    for (let sequence = 1; sequence <= READER_BUFFER_MAX; sequence += 1) {
      feed.publish(packetOf('A', sequence));
      feed.publish(packetOf('B', sequence));
    }
    const got = await first;
    while (got.at(-1) !== `B${READER_BUFFER_MAX}`) got.push(...(await take(slow, 1)));
    expect(got).toContain(`A${READER_BUFFER_MAX}`);
    expect(got.length).toBeLessThan(READER_BUFFER_MAX);
  });

  test('receives an idle message when no packet came for a while', async () => {
    const feed = createPacketFeed([]);
    const stream = feed.open(['A'], 1, forEver)[Symbol.asyncIterator]();
    expect(await take(stream, 2)).toEqual(['idle', 'idle']);
    feed.publish(packetOf('A', 1));
    expect(await take(stream, 1)).toEqual(['A1']);
  });

  test('ends when its caller leaves', async () => {
    const caller = new AbortController();
    const stream = createPacketFeed([]).open(['A'], neverIdleMs, caller.signal)[Symbol.asyncIterator]();
    const next = stream.next();
    caller.abort();
    await expect(next).resolves.toEqual({ done: true, value: undefined });
  });
});
