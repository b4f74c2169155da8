import type { labeling } from '@market-state/contracts';
import { briefOf } from '@market-state/packet-views';
import { BTC, ETH, labelPurely, type LabelingBench, type RunningLabeling, startBench } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

const startMs = Math.floor(Date.now() / 10_000) * 10_000 - 400_000;
const events = syntheticLog({ symbol: BTC, seconds: 300, seed: 4, stepMs: 1_000, startMs });
const expected = labelPurely(events);

let bench: LabelingBench;
let running: RunningLabeling;
beforeAll(async () => {
  bench = await startBench();
  await bench.append(events);
  running = await bench.start();
  await bench.waitForPackets(BTC, expected.length);
});
afterAll(async () => {
  await running.close();
  await bench.stop();
});

const everything: labeling.ListPacketsRequest = {
  symbol: BTC,
  fromWindowEndMs: 0,
  toWindowEndMs: 0,
  pageSize: 0,
  pageToken: '',
  descending: false,
  asOfMs: 0,
};

describe('GetLatestPacket', () => {
  test('gives the newest packet with its exact bytes and the clock around it', async () => {
    const { packet } = await running.client.call.getLatestPacket({ symbol: BTC, asOfMs: 0 });
    const newest = expected.at(-1);
    expect(packet).toMatchObject({
      symbol: BTC,
      windowEndMs: newest?.windowEndMs,
      sequence: expected.length,
      packetId: newest?.packetId,
      eventId: newest?.eventId,
      packetDigest: newest?.packetDigest,
      lineageDigest: newest?.lineageDigest,
      headline: newest?.headline,
      customerNextStep: newest?.customerNextStep,
      sourceKind: 'SOURCE_KIND_RECORDED',
    });
    expect(packet?.body.toString('utf8')).toBe(newest?.body);
    expect(Math.abs((packet?.generatedTsMs ?? 0) - Date.now())).toBeLessThan(600_000);
    expect(packet?.sourceLagMs).toBeGreaterThanOrEqual(0);
  });

  test.each(['', 'btc', 'BTCUSD-PERP '])('refuses the malformed symbol %j', async (symbol) => {
    await expect(running.client.call.getLatestPacket({ symbol, asOfMs: 0 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [{ field: 'symbol' }],
    });
  });

  test('names the symbols served when it is asked for another', async () => {
    await expect(running.client.call.getLatestPacket({ symbol: 'DOGEUSD-PERP', asOfMs: 0 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      reason: 'unknown_symbol',
      metadata: { symbols: `${BTC},${ETH}` },
    });
  });

  test('says so when a symbol has no packet yet', async () => {
    await expect(running.client.call.getLatestPacket({ symbol: ETH, asOfMs: 0 })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'no_packet_yet',
    });
  });
});

describe('GetPacket', () => {
  test('gives the packet of an event, and the log entry that it stands after', async () => {
    for (const made of expected.slice(0, 3)) {
      const { packet } = await running.client.call.getPacket({ eventId: made.eventId, asOfMs: 0 });
      expect(packet).toMatchObject({ packetDigest: made.packetDigest, closingEpoch: 1, closingOrdinal: made.closingOrdinal });
    }
  });

  test('refuses an id that is none, and says when no packet has it', async () => {
    await expect(running.client.call.getPacket({ eventId: 'evt_', asOfMs: -1 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [{ field: 'event_id' }, { field: 'as_of_ms' }],
    });
    await expect(running.client.call.getPacket({ eventId: `evt_${'0'.repeat(26)}`, asOfMs: 0 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      reason: 'unknown_packet',
    });
  });
});

describe('ListNeighbours', () => {
  const briefs = expected.map(({ packet }) => briefOf(packet));
  const at = (index: number): number => expected[index]?.windowEndMs ?? 0;

  async function adjacent(request: Partial<labeling.ListNeighboursRequest>) {
    const { before, after } = await running.client.call.listNeighbours({
      symbol: BTC,
      windowEndMs: at(4),
      before: 2,
      after: 3,
      asOfMs: 0,
      ...request,
    });
    const read = (side: labeling.PacketBrief[]) =>
      side.map(({ brief, windowEndMs, sequence }) => [JSON.parse(brief.toString('utf8')), windowEndMs, sequence]);
    return { before: read(before), after: read(after) };
  }

  const made = (from: number, to: number) => briefs.slice(from, to).map((brief, index) => [brief, at(from + index), from + index + 1]);

  test('gives the nearest packets on both sides in brief, oldest first', async () => {
    await expect(adjacent({})).resolves.toEqual({ before: made(2, 4), after: made(5, 8) });
    await expect(adjacent({ before: 0, after: 100 })).resolves.toEqual({ before: [], after: made(5, expected.length) });
    await expect(adjacent({ before: 100, after: 0 })).resolves.toEqual({ before: made(0, 4), after: [] });
    await expect(adjacent({ windowEndMs: at(4) + 1 })).resolves.toEqual({ before: made(3, 5), after: made(5, 8) });
  });

  test('gives those alone that were known at an instant', async () => {
    const { packet: sixth } = await running.client.call.getPacket({ eventId: expected[5]?.eventId ?? '', asOfMs: 0 });
    await expect(adjacent({ asOfMs: sixth?.knownTsMs ?? 0 })).resolves.toEqual({ before: made(2, 4), after: made(5, 6) });
    await expect(adjacent({ asOfMs: (sixth?.knownTsMs ?? 0) - 1 })).resolves.toEqual({ before: made(2, 4), after: [] });
  });

  test('makes the brief of a packet that was stored without', async () => {
    await bench.ownerSql('ALTER TABLE packet DISABLE TRIGGER packet_unchanged');
    await bench.ownerSql(`UPDATE packet SET brief = NULL WHERE symbol = '${BTC}' AND sequence IN (3, 6)`);
    await bench.ownerSql('ALTER TABLE packet ENABLE TRIGGER packet_unchanged');
    await expect(adjacent({})).resolves.toEqual({ before: made(2, 4), after: made(5, 8) });
  });

  test('names everything that is wrong with a request', async () => {
    await expect(adjacent({ symbol: 'btc', windowEndMs: -1, before: 101, after: 101, asOfMs: -1 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [{ field: 'symbol' }, { field: 'window_end_ms' }, { field: 'before' }, { field: 'after' }, { field: 'as_of_ms' }],
    });
    await expect(adjacent({ symbol: 'DOGEUSD-PERP' })).rejects.toMatchObject({ reason: 'unknown_symbol' });
  });
});

describe('ListPackets', () => {
  async function sequencesOverPages(request: labeling.ListPacketsRequest): Promise<number[]> {
    const sequences: number[] = [];
    let pageToken = '';
    do {
      const page = await running.client.call.listPackets({ ...request, pageToken });
      expect(page.packets.length).toBeLessThanOrEqual(request.pageSize === 0 ? 100 : request.pageSize);
      sequences.push(...page.packets.map((packet) => packet.sequence));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    return sequences;
  }

  test('gives every packet once and in either order over pages of any size', async () => {
    const inOrder = expected.map((_packet, index) => index + 1);
    for (const pageSize of [0, 1, 7, 1_000]) {
      await expect(sequencesOverPages({ ...everything, pageSize })).resolves.toEqual(inOrder);
      await expect(sequencesOverPages({ ...everything, pageSize, descending: true })).resolves.toEqual(inOrder.toReversed());
    }
  });

  test('gives what was known at an instant: a packet is, from the feed clock of the tick that closed it', async () => {
    const { packets } = await running.client.call.listPackets(everything);
    const known = packets.map(({ knownTsMs }) => knownTsMs);
    for (const [index, { windowEndMs }] of packets.entries()) {
      const closingTick = events.find((event) => event.kind === 'tick' && event.feedClockMs >= windowEndMs + 1_000);
      expect(known[index]).toBe(closingTick?.receivedTsMs);
    }
    const fifth = packets[4] as labeling.PacketRecord;
    for (const [asOfMs, total] of [
      [known[4] ?? 0, 5],
      [(known[4] ?? 0) - 1, 4],
      [fifth.windowEndMs, 4],
      [1, 0],
    ] as const) {
      const inOrder = Array.from({ length: total }, (_packet, index) => index + 1);
      await expect(sequencesOverPages({ ...everything, pageSize: 3, asOfMs })).resolves.toEqual(inOrder);
      await expect(sequencesOverPages({ ...everything, pageSize: 3, asOfMs, descending: true })).resolves.toEqual(inOrder.toReversed());
      const latest = running.client.call.getLatestPacket({ symbol: BTC, asOfMs }).then(({ packet }) => packet?.sequence);
      await (total === 0 ? expect(latest).rejects.toMatchObject({ reason: 'no_packet_yet' }) : expect(latest).resolves.toBe(total));
      const found = running.client.call.getPacket({ eventId: fifth.eventId, asOfMs }).then(({ packet }) => packet?.sequence);
      await (total === 5 ? expect(found).resolves.toBe(5) : expect(found).rejects.toMatchObject({ reason: 'unknown_packet' }));
    }
  });

  test('takes the span as from inclusive, to exclusive', async () => {
    const [first, second, third] = expected.map((packet) => packet.windowEndMs).slice(2);
    const page = await running.client.call.listPackets({ ...everything, fromWindowEndMs: first ?? 0, toWindowEndMs: third ?? 0 });
    expect(page.packets.map((packet) => packet.windowEndMs)).toEqual([first, second]);
    expect(page.nextPageToken).toBe('');
  });

  test('names every fault at once', async () => {
    const request = {
      symbol: 'x',
      fromWindowEndMs: -1,
      toWindowEndMs: -2,
      pageSize: 1_001,
      pageToken: 'nonsense',
      descending: false,
      asOfMs: -1,
    };
    await expect(running.client.call.listPackets(request)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [
        { field: 'symbol' },
        { field: 'from_window_end_ms' },
        { field: 'to_window_end_ms' },
        { field: 'as_of_ms' },
        { field: 'page_size' },
        { field: 'page_token' },
      ],
    });
  });

  test('refuses an empty span, and a token given for another one', async () => {
    const atMs = expected[3]?.windowEndMs ?? 0;
    await expect(running.client.call.listPackets({ ...everything, fromWindowEndMs: atMs, toWindowEndMs: atMs })).rejects.toMatchObject({
      faults: [{ field: 'to_window_end_ms' }],
    });
    const { nextPageToken } = await running.client.call.listPackets({ ...everything, pageSize: 1 });
    await expect(running.client.call.listPackets({ ...everything, toWindowEndMs: atMs, pageToken: nextPageToken })).rejects.toMatchObject({
      faults: [{ field: 'page_token' }],
    });
  });
});

describe('StreamPackets', () => {
  test('starts with a heartbeat and the newest packet, then pushes each new one once and in order', async () => {
    const eth = syntheticLog({ symbol: ETH, seconds: 60, seed: 5, stepMs: 1_000, startMs });
    const ethExpected = labelPurely(eth);
    const seen: (string | number)[] = [];
    for await (const { message } of running.client.call.streamPackets({ symbols: [] })) {
      if (message?.$case === 'packet') seen.push(message.value.symbol, message.value.windowEndMs);
      if (message?.$case === 'heartbeat' && seen.length === 0) {
        expect(message.value.symbols).toEqual([BTC, ETH]);
        seen.push('heartbeat');
      }
      if (seen.length === 3) await bench.append(eth);
      if (seen.length === 3 + 2 * ethExpected.length) break;
    }
    expect(seen).toEqual(['heartbeat', BTC, expected.at(-1)?.windowEndMs, ...ethExpected.flatMap((packet) => [ETH, packet.windowEndMs])]);
  });

  test('can be asked for some symbols only, and refuses those it does not serve', async () => {
    for await (const { message } of running.client.call.streamPackets({ symbols: [BTC, BTC] })) {
      if (message?.$case !== 'packet') continue;
      expect(message.value.symbol).toBe(BTC);
      break;
    }
    const next = (symbols: string[]) => running.client.call.streamPackets({ symbols })[Symbol.asyncIterator]().next();
    await expect(next(['bad', BTC, 'worse'])).rejects.toMatchObject({ faults: [{ field: 'symbols[0]' }, { field: 'symbols[2]' }] });
    await expect(next(['DOGEUSD-PERP'])).rejects.toMatchObject({ reason: 'unknown_symbol' });
  });

  test('ends with UNAVAILABLE when the service stops', async () => {
    const other = await bench.start();
    const stream = other.client.call.streamPackets({ symbols: [] })[Symbol.asyncIterator]();
    await stream.next();
    const rest = (async () => {
      while ((await stream.next()).done !== true);
    })();
    await Promise.all([expect(rest).rejects.toMatchObject({ code: 'UNAVAILABLE' }), other.server.close()]);
    await other.client.close();
  });
});

test('reports the state of each dependency, and is ready while both stores answer', async () => {
  const response = await fetch(`http://127.0.0.1:${running.server.opsPort}/readyz`);
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ ready: true, checks: { postgres: true, event_log: true } });
});
