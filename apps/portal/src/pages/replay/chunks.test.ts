import type { Schemas } from '@market-state/client';
import {
  chunkAt,
  type ChunkReading,
  chunksOf,
  chunkToRead,
  CHUNK_MS,
  isRead,
  readableTo,
  type Readings,
  NO_ROWS,
  collectRows,
  packetWords,
  receiptWords,
} from './chunks';
import type { CompactPacket } from '../../packets/live-markets';

const receiptReading = (receipt: Partial<Schemas['Completeness']> | null, fields: Partial<ChunkReading> = {}): ChunkReading => ({
  state: 'ended',
  messages: 0,
  credits: 1,
  rows: NO_ROWS,
  reachedMs: 90_000,
  receipt:
    receipt === null
      ? null
      : { rows_expected: 1_200, rows_sent: 1_200, gap_ids: [], rows_sha256: '', status: 'complete', reasons: [], ...receipt },
  resumeId: null,
  failure: null,
  ...fields,
});

test('a chunk is complete only if its receipt confirms it', () => {
  expect(receiptWords(receiptReading({}))).toEqual({ word: 'complete', sentence: '1,200 of 1,200 rows; nothing is missing.' });
  expect(receiptWords(receiptReading({ status: 'partial', reasons: ['seam_loss_unknown'] })).word).toBe('unknown');
  expect(
    receiptWords(
      receiptReading({ status: 'partial', reasons: ['gaps_in_window', 'seam_loss_unknown'], rows_sent: 900, gap_ids: ['gap_1'] }),
    ),
  ).toEqual({
    word: 'partial',
    sentence: '900 of 1,200 rows; the feed had gaps; the recording restarted within it, and rows may be missing there (1 gap).',
  });
  expect(receiptWords(receiptReading(null, { state: 'failed' }))).toEqual({
    word: 'cut off',
    sentence: 'Rows up to 00:01:30 UTC were read; there is no receipt.',
  });
});

test('replayed packets are compared with the stored ones by digest', () => {
  const chunk = { index: 0, startMs: 0, endMs: 30_000 };
  const stored = [0, 10, 20, 30].map(
    (s) => ({ window_end_utc: new Date(s * 1_000).toISOString(), packet_digest: `d${s}` }) as CompactPacket,
  );
  const replayed = (...digests: string[]) => packetWords(chunk, receiptReading({}, { rows: { ...NO_ROWS, digests } }), stored);
  expect(replayed('d0', 'd10', 'd20')).toBe('3 packets, as stored');
  expect(replayed('d0', 'd10')).toBe('2 packets, 3 stored, 2 identical');
  expect(replayed('d0', 'd10', 'other')).toBe('3 packets, 3 stored, 2 identical');
  expect(replayed('d0', 'd10', 'd20', 'd20')).toBe('4 packets, 3 stored, 3 identical');
});

const row = (fields: object) => ({ row: fields }) as unknown as Schemas['DataRow'];

test('rows are collected by kind in exchange-time order, after earlier ones', () => {
  const collected = collectRows({ ...NO_ROWS, digests: ['a'] });
  const levels = Array.from({ length: 25 }, (_each, at) => [String(at), '1']);
  collected.add(row({ kind: 'book', exchange_ts_ms: 20, bids: levels, asks: levels }));
  collected.add(row({ kind: 'trade', exchange_ts_ms: 15, venue_id: 'x', aggressor_side: 'sell', price: '1', size: '2' }));
  collected.add(row({ kind: 'book', exchange_ts_ms: 10, bids: [], asks: levels }));
  collected.add(row({ kind: 'tick', exchange_ts_ms: 11 }));
  collected.add({ packet: {}, packet_digest: 'b' } as unknown as Schemas['DataRow']);
  const { books, trades, digests } = collected.rows();
  expect(books.map(({ timeMs, bids, asks }) => [timeMs, bids.length, asks.length])).toEqual([
    [10, 0, 10],
    [20, 10, 10],
  ]);
  expect(trades).toEqual([{ id: 'x', timeMs: 15, side: 'sell', price: '1', size: '2' }]);
  expect(digests).toEqual(['a', 'b']);
});

const reading = (fields: Partial<ChunkReading>): ChunkReading => ({
  state: 'ended',
  messages: 0,
  credits: 0,
  rows: NO_ROWS,
  reachedMs: 0,
  receipt: null,
  resumeId: null,
  failure: null,
  ...fields,
});
const chunks = chunksOf({ fromMs: 1_000, toMs: 1_000 + 2.5 * CHUNK_MS });
const [first, second, third] = chunks as unknown as [(typeof chunks)[0], (typeof chunks)[0], (typeof chunks)[0]];
const whole = (...read: (typeof chunks)[number][]): Readings =>
  new Map(read.map((chunk) => [chunk.index, reading({ reachedMs: chunk.endMs })]));

test('chunks cover the span without overlap, and its end belongs to the last', () => {
  expect(chunks.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
    [1_000, 301_000],
    [301_000, 601_000],
    [601_000, 751_000],
  ]);
  expect([1_000, 300_999, 301_000, 751_000].map((ms) => chunkAt(chunks, ms)?.index)).toEqual([0, 0, 1, 2]);
});

test('the cursor advances over consecutive loaded chunks and stops at an unloaded one', () => {
  expect(readableTo(chunks, new Map(), 5_000)).toBe(5_000);
  expect(readableTo(chunks, whole(first), 5_000)).toBe(first.endMs);
  expect(readableTo(chunks, whole(first, second), 5_000)).toBe(second.endMs);
  expect(readableTo(chunks, whole(first, third), 5_000)).toBe(first.endMs);
  expect(readableTo(chunks, whole(first), first.endMs)).toBe(first.endMs);
});

test('an interrupted chunk is readable up to where it stopped', () => {
  const stopped = new Map([[0, reading({ state: 'failed', reachedMs: 90_000 })]]);
  expect(isRead(first, stopped)).toBe(false);
  expect(readableTo(chunks, stopped, 5_000)).toBe(90_000);
  expect(readableTo(chunks, stopped, 95_000)).toBe(95_000);
});

test('playback reads its chunk, then the next in time for its speed, one at a time and none twice', () => {
  expect(chunkToRead(chunks, new Map(), 5_000, 1)).toBe(first);
  expect(chunkToRead(chunks, new Map([[0, reading({ state: 'reading' })]]), 5_000, 100)).toBeNull();
  expect(chunkToRead(chunks, whole(first), 5_000, 10)).toBeNull();
  expect(chunkToRead(chunks, whole(first), 5_000, 100)).toBe(second);
  expect(chunkToRead(chunks, whole(first), first.endMs - 29_000, 1)).toBe(second);
  expect(chunkToRead(chunks, whole(first, second, third), 5_000, 100)).toBeNull();
  expect(chunkToRead(chunks, new Map([[0, reading({ state: 'failed', reachedMs: 90_000 })]]), 90_000, 1)).toBeNull();
});
