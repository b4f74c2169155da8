import { recordingLineBatches } from '@market-state/market-data';
import type { LineFile } from './file-source';
import { SourceError, unusable } from './symbol-source';
import { canonicalJson, sha256Hex, type HexDigest } from '../lineage';
import { compilePolicy, type Policy } from '../policy/policy';
import type { PolicyContent } from '../policy/content';

export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';

  constructor(bytesMax: number) {
    super(`more than ${bytesMax} bytes unpacked`);
  }
}

/**
 * Decompresses gzip in pieces.
 * @throws TooLargeError above `bytesMax`; TypeError or zlib's Error if it is not gzip
 */
async function* gunzip(packed: Uint8Array<ArrayBuffer>, bytesMax: number): AsyncGenerator<Uint8Array> {
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  const reader = unpacked.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  let total = 0;
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      total += piece.value.length;
      if (total > bytesMax) throw new TooLargeError(bytesMax);
      yield piece.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export async function gunzipWhole(packed: Uint8Array<ArrayBuffer>, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of gunzip(packed, bytesMax)) pieces.push(piece);
  const whole = new Uint8Array(pieces.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Far above a quarter of an hour of the busiest symbol, unpacked. */
const BUNDLE_BYTES_MAX = 536_870_912;

/**
 * Unpacks and caches the lines of a bundle: gzip of the NDJSON that `market-state dump` writes.
 * @throws SourceError if the bytes are not gzip of lines, or unpack to more than 512 MiB
 */
export async function bundleLines(bundle: Uint8Array<ArrayBuffer>): Promise<LineFile> {
  const batches: (readonly string[])[] = [];
  try {
    for await (const batch of recordingLineBatches(gunzip(bundle, BUNDLE_BYTES_MAX))) batches.push(batch);
  } catch (error) {
    throw error instanceof TooLargeError
      ? new SourceError('unusable', [`the bundle has ${error.message}`])
      : unusable('the bundle is not gzip of lines, or is truncated');
  }
  return { name: 'bundle', lines: { [Symbol.asyncIterator]: () => inTurn(batches) } };
}

async function* inTurn<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Digest of policy files, given by name without `.json`. */
export function policyDigestOf(files: object): HexDigest {
  return sha256Hex(canonicalJson(files));
}

/**
 * Compiles policy files whose digest is that of published packets. Schemas are not checked again, because the validator
 * generates code, which pages may not run.
 * @throws SourceError if they are not a policy nevertheless
 */
export function policyOfFiles(files: object): Policy {
  const faults: string[] = [];
  try {
    const policy = compilePolicy(files as PolicyContent, (file) => (pointer, says) => faults.push(`${file}.json: ${pointer} ${says}`));
    if (faults.length === 0) return policy;
  } catch {
    faults.push('the policy files do not have the form of a policy');
  }
  throw unusable(...faults);
}
