import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { compressFrameSync } from 'lz4-napi';
import { recordedBytes, UnreadableFileError } from '../src/index';

const folder = mkdtempSync(join(tmpdir(), 'recorded-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
const text = Array.from({ length: 60_000 }, (_, line) => `${line},${(line * 7919) % 100_003}`).join('\n');
const half = text.length / 2;

/** A zip of deflated files: local headers, then the central directory. */
function zipOf(files: Readonly<Record<string, string>>, checksumOf = (content: string) => crc32(content)): Buffer {
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(checksumOf(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const body = Buffer.concat([Buffer.from('504b0304', 'hex'), facts, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('504b01021400', 'hex'), facts, place, Buffer.from(name)]));
    bodies.push(body);
    offset += body.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(listing.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, listing, Buffer.from('504b0506', 'hex'), end]);
}

async function read(content: Uint8Array | string): Promise<string> {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  const chunks: Uint8Array[] = [];
  for await (const chunk of recordedBytes(path)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const lz4 = compressFrameSync(text);
const checkedLz4 = compressFrameSync(Buffer.from(text), { contentChecksum: true, blockChecksums: true });

test.each<readonly [string, Buffer]>([
  ['plain', Buffer.from(text)],
  ['gzip', gzipSync(text)],
  ['gzip of two parts', Buffer.concat([gzipSync(text.slice(0, half)), gzipSync(text.slice(half))])],
  ['zstd', zstdCompressSync(text)],
  ['lz4', lz4],
  ['lz4 with checksums', checkedLz4],
  ['lz4 of two frames', Buffer.concat([compressFrameSync(text.slice(0, half)), compressFrameSync(text.slice(half))])],
  ['lz4 with a frame to skip', Buffer.concat([lz4, Buffer.from('502a4d1803000000010203', 'hex')])],
  ['zip', zipOf({ 'BTCUSDT-aggTrades-2024-01-01.csv': text })],
])('a file of %s is read as its content', async (_name, content) => {
  expect((await read(content)) === text).toBe(true);
});

test.each<readonly [string, Buffer, string]>([
  ['gzip that is cut off', gzipSync(text).subarray(0, -100), 'corrupt gzip: unexpected end of file'],
  ['zstd that is cut off', zstdCompressSync(text).subarray(0, -100), 'corrupt zstd'],
  ['lz4 that is cut off', lz4.subarray(0, -100), 'corrupt lz4: unexpected end of file'],
  [
    'lz4 with checksums that is damaged',
    checkedLz4.map((byte, index) => (index > 100 && index < 400 ? 255 : byte)) as Buffer,
    'corrupt lz4',
  ],
  ['lz4 with something after it', Buffer.concat([lz4, Buffer.from('more than a frame')]), 'corrupt lz4: no frame at byte'],
  ['zip that is cut off', zipOf({ a: text }).subarray(0, -100), 'corrupt zip'],
  ['zip with another checksum', zipOf({ a: text }, () => 1), 'corrupt zip: a has another checksum than stated'],
  ['zip of two files', zipOf({ a: text, b: text }), 'zip with 2 files, not one'],
])('a %s is refused', async (_name, content, sentence) => {
  const reading = read(content);
  await expect(reading).rejects.toThrow(UnreadableFileError);
  await expect(reading).rejects.toThrow(sentence);
});

test('short and empty files are plain', async () => {
  expect(await read('')).toBe('');
  expect(await read('a')).toBe('a');
});

test('a missing file is a system error', async () => {
  await expect(recordedBytes(join(folder, 'none')).next()).rejects.toMatchObject({ code: 'ENOENT' });
});
