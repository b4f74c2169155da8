import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { silentLogger } from '@market-state/logging';
import { startSimulatedVenue, type SimulatedVenue } from '@market-state/simulated-venue';
import { waitUntil } from '@market-state/testing';
import { type FeedStatus, instrumentRows, LivePlayer } from '@market-state/market-data';
import { LogWatch, MessageTally } from '../src/commands/doctor';
import { RecordingFile } from '../src/commands/record';
import { createWorkplace, run } from './run';
import { recorded } from './simulated-recording';

const place = createWorkplace();
let venue: SimulatedVenue;
beforeAll(async () => {
  venue = await startSimulatedVenue({ address: '127.0.0.1:0', seed: 3, logger: silentLogger(), scenario: 'calm' });
});
afterAll(async () => {
  await venue.close();
  place.remove();
});

const at = (): string[] => ['--venue', 'simulated', '--url', venue.restUrl];

test('record writes a file in which only duplicates of the venue are rejected; four seconds are too short to label', async () => {
  await waitUntil('a window that does not end soon', () => Date.now() % 10_000 < 4_000);
  const { exitCode, stdout } = await place.run('record', ...at(), '--symbols', 'SIMUSD-PERP', '--out', 'recordings', '--seconds', '4');
  expect(exitCode).toBe(0);
  const file = recorded(place, 'recordings');
  expect(stdout).toContain(join(place.folder, file));
  const { lines, stderr } = await place.run('rows', file);
  expect(
    stderr
      .replaceAll(/duplicate [\d,]+/g, '')
      .replace(/^.*not everything was used: $/m, '')
      .trim(),
  ).toBe('');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ venue: 'simulated', status: { type: 'connected', source_kind: 'simulated' } });
  for (const kind of ['book', 'trade', 'context', 'tick']) expect(lines.some((line) => line.includes(`"kind":"${kind}"`))).toBe(true);
  const labelled = await place.run('label', file);
  expect(labelled.exitCode).toBe(2);
  expect(labelled.stderr).toMatch(/nothing was labelled: .* book.*, .* trade.*: record at least 2\d(\.\d+)? s/);
});

test('record that is stopped leaves a file that can be read', async () => {
  const stop = new AbortController();
  const ending = run(['record', ...at(), '--out', 'stopped'], place.folder, stop.signal);
  await waitUntil('a file', () => readdirSync(join(place.folder, 'stopped')).length > 0);
  stop.abort();
  await ending;
  expect(gunzipSync(readFileSync(join(place.folder, recorded(place, 'stopped')))).toString()).toMatch(/^\d{19} \{"channel":.*\n$/s);
});

test('doctor finds no differences at a conforming venue, and reports those of a misbehaving one', async () => {
  const sound = await place.run('doctor', ...at(), '--seconds', '2');
  expect(sound.stdout).toContain('simulated: no differences from what the adapter expects');
  expect(sound.exitCode).toBe(0);
  const before = venue.sentTotal;
  const watching = place.run('doctor', ...at(), '--seconds', '3');
  await waitUntil('a connection that is subscribed', () => venue.connections > 0 && venue.sentTotal > before + 20);
  venue.misbehave({ fault: 'garbage', count: 20 });
  const lying = await watching;
  expect(lying.exitCode).toBe(1);
  expect(lying.stdout).toMatch(/differences? from what the adapter expects\n[^]*(not JSON came|unknown|rejected: )/);
});

test('a venue that is not there is 3, at once; what is wrong with the command line is 2, all of it named', async () => {
  const nowhere = await place.run('doctor', '--venue', 'hyperliquid', '--url', 'http://127.0.0.1:1');
  expect(nowhere).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('no connection to 127.0.0.1:1') as string });
  const wrong = await place.run('record', '--venue', 'wire', '--symbols', 'X', '--seconds', '0', '--url', 'ftp://x');
  expect(wrong.exitCode).toBe(2);
  for (const what of ['--venue must be one of', '--symbols', '--seconds', '--url', '--out']) expect(wrong.stderr).toContain(what);
});

test('a recording that was not closed can be read up to its last flush', () => {
  const file = new RecordingFile(join(place.folder, 'killed.gz'));
  file.write(1, 'one');
  file.flush();
  file.write(2, 'two');
  file.flush();
  file.write(3, 'three');
  expect(gunzipSync(readFileSync(file.path)).toString()).toBe('one\ntwo\n');
  file.close();
  expect(gunzipSync(readFileSync(file.path)).toString()).toBe('one\ntwo\nthree\n');
});

test('unknown kinds and fields are reported, and kinds that never came', () => {
  const tally = new MessageTally('binance-usdm');
  const envelope = (stream: string, data: object): string => JSON.stringify({ stream: `btcusdt@${stream}`, data });
  tally.take(envelope('trade', { e: 'trade', E: 1, T: 1, s: 'BTCUSDT', t: 1, p: '1', q: '1', X: 'MARKET', m: true, nq: '1' }));
  tally.take(envelope('depth@100ms', { e: 'depthUpdate', E: 1, T: 1, s: 'BTCUSDT', U: 1, u: 2, pu: 0, b: [['1', '2']], a: [] }));
  tally.take(envelope('forceOrder', { e: 'forceOrder', E: 1, o: { s: 'BTCUSDT', zz: 1 } }));
  tally.take(envelope('kline_1m', {}));
  tally.take('{"stream":');
  expect([...tally.missing, ...tally.unknown]).toEqual([
    'no markPrice message received',
    'no ticker message received',
    'no depthSnapshot message received',
    'no openInterest message received',
    'no subscribed message received',
    'trade has an unknown field nq, in 1 of the first 1',
    'forceOrder has an unknown field o.zz, in 1 of the first 1',
    'unknown message kind kline_1m, received 1 time',
    'input that is not JSON, received 1 time',
  ]);
});

test('clock skew, silences and gaps of a log are reported', () => {
  const instrument = instrumentRows.find(({ feed }) => feed === 'simulated');
  if (instrument === undefined) throw new Error('the table has no simulated instrument');
  const watch = new LogWatch(instrument, 0);
  const player = new LivePlayer(instrument, { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: 0 });
  const book = { ...envelope, kind: 'book', bids: [], asks: [] } as const;
  const gap: FeedStatus = { type: 'gap', gapId: 'gap_1', channel: 'book', startMs: 1, endMs: 0, reason: 'sequence_gap' };
  for (const receivedTsMs of [5_000, 6_000]) {
    watch.clocks.add(receivedTsMs, [receivedTsMs - 3_500]);
    watch.take([{ dueFeedClockMs: receivedTsMs, event: { ...book, receivedTsMs, exchangeTsMs: receivedTsMs - 3_500 } }]);
  }
  watch.take([{ dueFeedClockMs: 7_000, event: { ...envelope, kind: 'feed_status', status: gap } }]);
  expect(watch.differences(player, 20_000)).toEqual([
    'book: silent for 14.0 s; stale after 10 s',
    'the median of receive time minus exchange time is 3.5 s: one of the clocks is wrong, or messages arrive late',
    '1 gap in the message sequence',
  ]);
});

const envelope = {
  venue: 'simulated',
  symbol: 'SIMUSD-PERP',
  pass: 0,
  venueId: '',
  exchangeTsMs: 0,
  exchangeTsIsReceiveTime: false,
  receivedTsMs: 0,
  ordinal: 1,
  epoch: 1,
};
