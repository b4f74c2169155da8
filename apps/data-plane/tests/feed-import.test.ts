import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { feed as contract } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { createState, loadPolicy, type PacketResult, reduce } from '@market-state/labeler';
import { openRecording, rowLine } from '@market-state/market-data';
import { testPeer, waitUntil } from '@market-state/testing';
import { readLines } from '../src/feed/recordings';
import type { RunningFeed } from '../src/feed/start-feed';
import { type FeedHarness, startFeedHarness } from './feed-harness';
import { expectedLog, hollowRecording, shortRecording } from './short-recording';

const ARCHIVE = join(import.meta.dirname, '../../../libs/domain/market-data/fixtures/tardis-csv');
const OWN_TIMES = { FEED_START: 'recorded', FEED_SPEED: 'max' };
const recording = shortRecording('BTCUSD-PERP', 3_000);
const { symbol } = recording;
const expected = expectedLog(recording, 0, 1);

let harness: FeedHarness;
beforeEach(async () => {
  harness = await startFeedHarness();
});
afterEach(() => harness.stop());
afterAll(() => recording.remove());

async function untilOrdinal(feed: RunningFeed, ordinal: number): Promise<void> {
  await waitUntil(`entry ${ordinal}`, () => (feed.snapshot(symbol)?.lastOrdinal ?? 0) >= ordinal);
}

test('FEED_START=recorded logs a recording once, at its own times, also when it is interrupted', async () => {
  const first = await harness.start([recording], OWN_TIMES);
  await untilOrdinal(first, Math.floor(expected.length / 2));
  await first.close();
  const second = await harness.start([recording], OWN_TIMES);
  await untilOrdinal(second, expected.length);
  await second.close();
  const third = await harness.start([recording], OWN_TIMES);
  await waitUntil('the start', () => third.snapshot(symbol)?.phase === 'playing');
  await third.close();
  expect(await harness.entries(symbol)).toEqual(expected);
});

test('an archive in the log has the rows that the command line makes of it, and ticks up to the end of its pass', async () => {
  const files = readdirSync(ARCHIVE).map((name) => join(ARCHIVE, name));
  const archive = await openRecording(
    files.map((path) => ({ name: path, lines: readLines(path) })),
    { symbol },
  );
  const rows: string[] = [];
  for await (const events of archive.events) rows.push(...events.map(rowLine));
  const feed = await harness.start([{ ...recording, files }], OWN_TIMES);
  await untilOrdinal(feed, rows.length);
  await feed.close();
  const events = await harness.events(symbol);
  // The last book waits for a message that closes its bucket: here a tick, there the end of the files.
  const content = (some: readonly string[]) =>
    some
      .map(withoutOrdinal)
      .filter(({ kind }) => kind !== 'tick')
      .slice(0, -1);
  expect(content(events.map(rowLine))).toEqual(content(rows));
  expect(events.every(({ pass, epoch }) => pass === 1 && epoch === 1)).toBe(true);
});

describe('an import over gRPC', () => {
  const later = hollowRecording(symbol, 10);
  afterAll(() => later.remove());

  const start = () => harness.start([], { FEED: 'import', SYMBOLS: symbol, FEED_FILE: '', FEED_SPEED: '1', FEED_START: '' });

  async function importFiles(
    feed: RunningFeed,
    files: readonly string[],
    signal?: AbortSignal,
    of = symbol,
  ): Promise<contract.ImportArchiveResponse | undefined> {
    const client = createClient({ definition: contract.FeedServiceService, peer: testPeer('data-plane-feed'), address: feed.address });
    const responses: contract.ImportArchiveResponse[] = [];
    try {
      const request = { symbol: of, files: [...files], instrument: '', columns: {} };
      for await (const response of client.call.importArchive(request, { signal })) responses.push(response);
      return responses.at(-1);
    } finally {
      await client.close();
    }
  }

  test('logs an archive once: interrupted, it continues after the last entry, and a repeated one adds nothing', async () => {
    const first = await start();
    expect(first.snapshot(symbol)?.phase).toBe('idle');
    const stop = new AbortController();
    const interrupted = importFiles(first, recording.files, stop.signal).catch(() => undefined);
    await untilOrdinal(first, Math.floor(expected.length / 2));
    stop.abort();
    await interrupted;
    await waitUntil('the end of the import', () => first.snapshot(symbol)?.phase === 'idle');
    const last = await importFiles(first, recording.files);
    expect(last).toMatchObject({ complete: true, lastOrdinal: expected.length });
    await first.close();
    const second = await start();
    expect(await importFiles(second, recording.files)).toMatchObject({ complete: true, lastOrdinal: expected.length });
    expect(await harness.entries(symbol)).toEqual(expected);
  });

  test('continues with a later archive behind a gap', async () => {
    const whole = shortRecording(symbol, 9_000);
    const file = join(dirname(whole.files[0] ?? ''), 'later.gz');
    writeFileSync(file, gzipSync(`${whole.lines.slice(6_000).join('\n')}\n`));
    const feed = await start();
    await importFiles(feed, recording.files);
    expect(await importFiles(feed, [file])).toMatchObject({ complete: true });
    whole.remove();
    const events = (await harness.events(symbol)).slice(expected.length);
    expect(events[0]).toMatchObject({ kind: 'feed_status', pass: 2, status: { type: 'gap', reason: 'feed_down' } });
    expect(events.filter(({ kind }) => kind === 'trade').length).toBeGreaterThan(0);
  });

  test('makes the packets that the command line makes of the files', async () => {
    const long = shortRecording(symbol, 12_000);
    const feed = await start();
    await importFiles(feed, long.files);
    const files = await openRecording(
      long.files.map((path) => ({ name: path, lines: readLines(path) })),
      { symbol },
    );
    const own: string[] = [];
    const labeled = createState(symbol, loadPolicy());
    for await (const events of files.events) for (const event of events) own.push(...digestsOf(reduce(labeled, event)));
    const imported = createState(symbol, loadPolicy());
    const digests = (await harness.events(symbol)).flatMap((event) => digestsOf(reduce(imported, event)));
    long.remove();
    expect(own.length).toBeGreaterThan(3);
    expect(digests.slice(0, own.length)).toEqual(own);
  });

  test('refuses files that start before the log ends, files that can not be read, and symbols of other feeds', async () => {
    const feed = await start();
    await importFiles(feed, recording.files);
    await expect(importFiles(feed, later.files)).rejects.toMatchObject({
      reason: 'import_refused',
      message: expect.stringContaining('cannot follow it at their own times'),
    });
    await expect(importFiles(feed, ['/no/such.csv'])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [{ field: 'files', message: expect.stringContaining('/no/such.csv') }],
    });
    expect(feed.snapshot(symbol)?.phase).toBe('idle');
    expect(await harness.entries(symbol)).toEqual(expected);
    const playing = await harness.start([{ ...recording, symbol: 'BTCUSD-PERP' }], OWN_TIMES);
    await expect(importFiles(playing, recording.files)).rejects.toMatchObject({
      reason: 'unknown_symbol',
      message: `${symbol} takes no imports here: no symbol of this system does.`,
    });
    await expect(importFiles(feed, recording.files, undefined, 'DOGEUSD-PERP')).rejects.toMatchObject({
      message: `DOGEUSD-PERP takes no imports here: the symbols that do are ${symbol}.`,
    });
  });

  test('is ready before, during and after imports', async () => {
    const feed = await start();
    const ready = async () => (await fetch(`http://127.0.0.1:${feed.opsPort}/readyz`)).status;
    await waitUntil('the stores', async () => (await ready()) === 200);
    const importing = importFiles(feed, recording.files);
    await untilOrdinal(feed, 1);
    expect(await ready()).toBe(200);
    await importing;
    expect(await ready()).toBe(200);
  });
});

function digestsOf(packets: readonly PacketResult[]): readonly string[] {
  return packets.map(({ packetDigest }) => packetDigest);
}

function withoutOrdinal(row: string): Record<string, unknown> {
  return { ...(JSON.parse(row) as Record<string, unknown>), ordinal: undefined };
}
