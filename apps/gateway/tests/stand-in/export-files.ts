import { createHash } from 'node:crypto';
import type { exports } from '@market-state/contracts';

/** File of a ready job, and its bytes. */
export interface StandInFile {
  readonly file: exports.ExportFile;
  readonly bytes: Buffer;
}

const DAY_MS = Date.parse('2026-01-01T00:00:00.000Z');

function fileOf(name: string, contentType: string, bytes: Buffer): exports.ExportFile {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { name, contentType, bytes: bytes.length, sha256, symbol: '', dayMs: 0, rows: 0, firstMs: 0, lastMs: 0, isData: false };
}

/** Distinct bytes, so that a misplaced part is detected. */
function unlikeBytes(sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
}

export const DATA_FILE = 'packets_BTCUSD-PERP_20260101.parquet';

/** Larger than one message. */
export const DATA_FILE_BYTES = unlikeBytes(700_000);

/** Larger than connection and channel buffers. */
export const LARGE_FILE = 'book_BTCUSD-PERP_20260101.parquet';
export const LARGE_FILE_BYTES = 67_108_864;

/** Files of every ready job: data, manifest, and an empty one. */
export const READY_FILES: readonly StandInFile[] = [
  {
    bytes: DATA_FILE_BYTES,
    file: {
      ...fileOf(DATA_FILE, 'application/vnd.apache.parquet', DATA_FILE_BYTES),
      symbol: 'BTCUSD-PERP',
      dayMs: DAY_MS,
      rows: 8_640,
      firstMs: DAY_MS + 10_000,
      lastMs: DAY_MS + 86_400_000,
      isData: true,
    },
  },
  {
    bytes: Buffer.alloc(LARGE_FILE_BYTES),
    file: { ...fileOf(LARGE_FILE, 'application/octet-stream', Buffer.alloc(0)), bytes: LARGE_FILE_BYTES },
  },
  { bytes: Buffer.from('{}'), file: fileOf('manifest.json', 'application/json', Buffer.from('{}')) },
  { bytes: Buffer.alloc(0), file: fileOf('gaps.ndjson', 'application/x-ndjson', Buffer.alloc(0)) },
];
