import { recordingLineBatches } from '@market-state/market-data';
import { gunzip, TooLargeError } from '../packet-row/gunzip';
import type { LineFile } from '../verify/file-index';
import { SourceError, unusable } from '../verify/symbol-source';

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
