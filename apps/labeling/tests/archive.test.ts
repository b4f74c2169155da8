import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { labeling } from '@market-state/contracts';
import { briefOf } from '@market-state/packet-views';
import { waitUntil } from '@market-state/testing';
import { objectKeyOf } from '../src/archive/archived-kinds';
import { hourOf } from '../src/store/archive-files';
import { BTC, checkpointsPurely, ETH, type LabelingBench, type RunningLabeling, startBench } from './labeling-under-test';
import { events, HOUR_MS, packets } from './three-hours';

const checkpoints = checkpointsPurely(events);
const finished = packets.filter(({ windowEndMs }) => windowEndMs < HOUR_MS + 3_600_000);
const ofMiddleHour = finished.filter(({ windowEndMs }) => windowEndMs >= HOUR_MS).length;

let bench: LabelingBench;
let folder: string;
let running: RunningLabeling | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'labeling-archive-'));
  bench = await startBench();
  await bench.append(events);
});

afterAll(async () => {
  await running?.close();
  await bench.stop();
  rmSync(folder, { recursive: true });
});

/** Starts the service in the place of the one before: the log is labelled once, and each test goes on with what the one before left. */
async function start(keptDays: { hotDays: number; archiveDays: number }, labelledAgainMs = 0): Promise<void> {
  await running?.close();
  running = await bench.start({ labelledAgainMs, archivePauseMs: 50 }, [BTC, ETH], { archiveUrl: folder, keptDays });
  await waitUntil(
    'every packet',
    async () => (await call().getLatestPacket({ symbol: BTC, asOfMs: 0 })).packet?.sequence === packets.length,
  );
}

function call(): RunningLabeling['client']['call'] {
  if (running === undefined) throw new Error('no service is running');
  return running.client.call;
}

function filesIn(state: string): Promise<{ channel: string; hour_ms: string; row_total: string }[]> {
  return bench.sql('SELECT channel, hour_ms, row_total FROM archive_file WHERE state = $1 ORDER BY channel, hour_ms', [state]);
}

function filesAt(channel: 'packets' | 'checkpoints'): string[] {
  return [HOUR_MS - 3_600_000, HOUR_MS].map((hourMs) => join(folder, objectKeyOf(channel, BTC, hourMs)));
}

async function digestsOverPages(pageSize: number, order: Partial<labeling.ListPacketsRequest> = {}): Promise<string[]> {
  const digests: string[] = [];
  let request: labeling.ListPacketsRequest = {
    symbol: BTC,
    fromWindowEndMs: 0,
    toWindowEndMs: 0,
    pageSize,
    pageToken: '',
    descending: false,
    asOfMs: 0,
    ...order,
  };
  do {
    const page = await call().listPackets(request);
    digests.push(...page.packets.map(({ packetDigest }) => packetDigest));
    request = { ...request, pageToken: page.nextPageToken };
  } while (request.pageToken !== '');
  return digests;
}

test('what the log may give again stays in the database, and a service without the archive does not start over what is there alone', async () => {
  await start({ hotDays: 0, archiveDays: 30 }, 1_800_000);
  await waitUntil('the first hour in the archive alone', async () => (await filesIn('archived')).length === 1);
  await waitUntil('the others in both', async () => (await filesIn('hot')).length === 2);
  await expect(bench.sql('SELECT 1 FROM packet WHERE symbol = $1 AND window_end_ms < $2', [BTC, HOUR_MS])).resolves.toEqual([]);
  await expect(bench.start({}, [BTC, ETH])).rejects.toThrow('ARCHIVE_URL is not set');
});

test('an hour stays in the database while its file differs from what was written, and reads of a damaged file fail', async () => {
  await expect(filesIn('hot')).resolves.toHaveLength(2);
  const key = objectKeyOf('packets', BTC, hourOf(HOUR_MS));
  const file = join(folder, key);
  const { size } = statSync(file);
  appendFileSync(file, 'x');
  await start({ hotDays: 0, archiveDays: 30 });
  await waitUntil(
    'an alarm',
    async () => (await running?.metric(`labeling_archive_blocked{channel="packets",symbol="${BTC}",service="labeling"}`)) === 1,
  );
  await waitUntil('the damaged hour alone', async () => (await filesIn('hot')).length === 1);
  await expect(filesIn('hot')).resolves.toEqual([{ channel: 'packets', hour_ms: String(HOUR_MS), row_total: String(ofMiddleHour) }]);
  await expect(digestsOverPages(1_000)).resolves.toEqual(packets.map(({ packetDigest }) => packetDigest));

  truncateSync(file, size);
  await waitUntil('three hours in the archive alone', async () => (await filesIn('archived')).length === 3);
  appendFileSync(file, 'x');
  await expect(digestsOverPages(1_000)).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
    reason: 'archive_corrupt',
    metadata: { object_key: key },
  });
  truncateSync(file, size);
});

test('finished hours leave the database for the archive, and every read goes on as if they had not', async () => {
  await waitUntil('three hours in the archive alone', async () => (await filesIn('archived')).length === 3);
  await expect(filesIn('archived')).resolves.toEqual([
    { channel: 'checkpoints', hour_ms: String(HOUR_MS), row_total: '4' },
    {
      channel: 'packets',
      hour_ms: String(HOUR_MS - 3_600_000),
      row_total: String(finished.filter(({ windowEndMs }) => windowEndMs < HOUR_MS).length),
    },
    { channel: 'packets', hour_ms: String(HOUR_MS), row_total: String(ofMiddleHour) },
  ]);
  await expect(bench.sql('SELECT 1 FROM packet WHERE symbol = $1', [BTC])).resolves.toHaveLength(packets.length - finished.length);

  const byteTotal = filesAt('packets').reduce((sum, file) => sum + statSync(file).size, 0);
  const archived = { packetTotal: finished.length, byteTotal, hotFromWindowEndMs: HOUR_MS + 3_600_000 };
  await expect(call().getPacketArchive({ symbol: BTC, toWindowEndMs: 0 })).resolves.toEqual({ hourTotal: 2, ...archived });
  await expect(call().getPacketArchive({ symbol: BTC, toWindowEndMs: HOUR_MS + 3_599_999 })).resolves.toMatchObject({
    hourTotal: 1,
    hotFromWindowEndMs: HOUR_MS,
  });
  await expect(call().getPacketArchive({ symbol: ETH, toWindowEndMs: 0 })).resolves.toEqual({
    hourTotal: 0,
    packetTotal: 0,
    byteTotal: 0,
    hotFromWindowEndMs: 0,
  });
  await expect(call().getPacketArchive({ symbol: 'x', toWindowEndMs: -1 })).rejects.toMatchObject({
    faults: [{ field: 'symbol' }, { field: 'to_window_end_ms' }],
  });

  await expect(call().listHeldPackets({ asOfMs: 0 })).resolves.toEqual({
    symbols: [
      {
        symbol: BTC,
        firstWindowEndMs: packets[0]?.windowEndMs,
        lastWindowEndMs: packets.at(-1)?.windowEndMs,
        packetTotal: packets.length,
        archive: { hourTotal: 2, ...archived },
      },
      {
        symbol: ETH,
        firstWindowEndMs: 0,
        lastWindowEndMs: 0,
        packetTotal: 0,
        archive: { hourTotal: 0, packetTotal: 0, byteTotal: 0, hotFromWindowEndMs: 0 },
      },
    ],
  });

  const expected = packets.map(({ packetDigest }) => packetDigest);
  for (const pageSize of [30, 1_000]) {
    await expect(digestsOverPages(pageSize)).resolves.toEqual(expected);
    await expect(digestsOverPages(pageSize, { descending: true })).resolves.toEqual(expected.toReversed());
  }
  const { packet: archived40 } = await call().getPacket({ eventId: finished[40]?.eventId ?? '', asOfMs: 0 });
  for (const [beforeMs, total] of [
    [0, 41],
    [1, 40],
  ] as const) {
    const asOfMs = (archived40?.knownTsMs ?? 0) - beforeMs;
    await expect(digestsOverPages(20, { asOfMs })).resolves.toEqual(expected.slice(0, total));
    await expect(digestsOverPages(20, { asOfMs, descending: true })).resolves.toEqual(expected.slice(0, total).toReversed());
    const { packet: newest } = await call().getLatestPacket({ symbol: BTC, asOfMs });
    expect(newest?.packetDigest).toBe(expected[total - 1]);
    const { symbols: held } = await call().listHeldPackets({ asOfMs });
    expect(held[0]).toMatchObject({ lastWindowEndMs: newest?.windowEndMs, packetTotal: total });
  }

  const [middle = 0, briefs] = [finished.length - 3, packets.map(({ packet }) => briefOf(packet))];
  const adjacent = await call().listNeighbours({
    symbol: BTC,
    windowEndMs: packets[middle]?.windowEndMs ?? 0,
    before: 9,
    after: 6,
    asOfMs: 0,
  });
  expect(adjacent.before.map(({ brief }) => JSON.parse(brief.toString('utf8')))).toEqual(briefs.slice(middle - 9, middle));
  expect(adjacent.after.map(({ brief }) => JSON.parse(brief.toString('utf8')))).toEqual(briefs.slice(middle + 1, middle + 7));

  for (const made of [finished[0], finished[40], finished.at(-1), packets.at(-1)]) {
    const { packet } = await call().getPacket({ eventId: made?.eventId ?? '', asOfMs: 0 });
    expect(packet).toMatchObject({
      packetId: made?.packetId,
      windowEndMs: made?.windowEndMs,
      headline: made?.headline,
      closingOrdinal: made?.closingOrdinal,
    });
    expect(packet?.body.toString('utf8')).toBe(made?.body);
  }
  const { checkpoints: headers } = await call().listCheckpoints({
    symbol: BTC,
    fromWindowEndMs: 0,
    toWindowEndMs: 0,
    pageSize: 0,
    pageToken: '',
  });
  expect(headers).toEqual(checkpoints);
  const { header, stateGzip } = await call().getCheckpoint({ symbol: BTC, windowEndMs: HOUR_MS });
  expect(header).toEqual(checkpoints[0]);
  expect(stateGzip.length).toBeGreaterThan(1_000);
});

test('hours that were in the archive alone before there was an index are entered into it', async () => {
  const indexed = () => bench.sql<{ window_end_ms: string }>('SELECT * FROM event ORDER BY symbol, window_end_ms');
  const before = await indexed();
  expect(before).toHaveLength(packets.length);
  await bench.sql('DELETE FROM event WHERE window_end_ms < $1', [HOUR_MS + 3_600_000]);
  await waitUntil('every event', async () => (await indexed()).length === packets.length);
  await expect(indexed()).resolves.toEqual(before);
  const requested = {
    symbol: BTC,
    words: [],
    state: '',
    eventClass: '',
    eventProfile: '',
    severityClass: '',
    tags: [],
    fromWindowEndMs: 0,
    toWindowEndMs: 0,
    asOfMs: 0,
    pageSize: 30,
    pageToken: '',
    ascending: false,
  };
  const found: (string | undefined)[] = [];
  for (let pageToken = ''; ; ) {
    const page = await call().searchEvents({ ...requested, pageToken });
    found.push(...page.events.map(({ packet }) => packet?.packetDigest));
    pageToken = page.nextPageToken;
    if (pageToken === '') break;
  }
  expect(found).toEqual(packets.map(({ packetDigest }) => packetDigest).toReversed());
});

test('files end with their days, and what is known of them with them', async () => {
  await start({ hotDays: 0, archiveDays: 0 });
  await waitUntil(
    'the newest hour alone',
    async () => (await bench.sql('SELECT 1 FROM packet WHERE symbol = $1', [BTC])).length === packets.length - finished.length,
  );
  await waitUntil('no file', async () => (await bench.sql('SELECT 1 FROM archive_file')).length === 0);
  await expect(bench.sql('SELECT 1 FROM archived_packet')).resolves.toEqual([]);
  await waitUntil(
    'the newest hour in the index',
    async () => (await bench.sql('SELECT 1 FROM event')).length === packets.length - finished.length,
  );
  await expect(call().getPacket({ eventId: finished[0]?.eventId ?? '', asOfMs: 0 })).rejects.toMatchObject({
    reason: 'unknown_packet',
  });
  await expect(digestsOverPages(3)).resolves.toEqual(packets.slice(finished.length).map(({ packetDigest }) => packetDigest));
});
