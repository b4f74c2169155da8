import type { Schemas } from '@market-state/client';
import type { CompactPacket } from '../../packets/board';
import { NO_ROWS, type ChunkReading } from './chunks';
import { packetWords, receiptWords } from './receipt-words';

const reading = (receipt: Partial<Schemas['Completeness']> | null, fields: Partial<ChunkReading> = {}): ChunkReading => ({
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

test('only a receipt that says so calls a chunk complete', () => {
  expect(receiptWords(reading({}))).toEqual({ word: 'complete', sentence: '1,200 of 1,200 rows; nothing is missing.' });
  expect(receiptWords(reading({ status: 'partial', reasons: ['seam_loss_unknown'] })).word).toBe('not known');
  expect(
    receiptWords(reading({ status: 'partial', reasons: ['gaps_in_window', 'seam_loss_unknown'], rows_sent: 900, gap_ids: ['gap_1'] })),
  ).toEqual({
    word: 'partial',
    sentence:
      '900 of 1,200 rows; the feed had gaps; a recording began again within it, and it is not known whether rows are missing there (1 gap).',
  });
  expect(receiptWords(reading(null, { state: 'failed' }))).toEqual({
    word: 'cut off',
    sentence: 'Rows up to 00:01:30 UTC were read: there is no receipt.',
  });
});

test('packets that were replayed are held against those that are stored, by their digests', () => {
  const chunk = { index: 0, startMs: 0, endMs: 30_000 };
  const stored = [0, 10, 20, 30].map(
    (s) => ({ window_end_utc: new Date(s * 1_000).toISOString(), packet_digest: `d${s}` }) as CompactPacket,
  );
  const replayed = (...digests: string[]) => packetWords(chunk, reading({}, { rows: { ...NO_ROWS, digests } }), stored);
  expect(replayed('d0', 'd10', 'd20')).toBe('3 packets, as stored');
  expect(replayed('d0', 'd10')).toBe('2 packets, 3 stored, 2 of them the same');
  expect(replayed('d0', 'd10', 'other')).toBe('3 packets, 3 stored, 2 of them the same');
  expect(replayed('d0', 'd10', 'd20', 'd20')).toBe('4 packets, 3 stored, 3 of them the same');
});
