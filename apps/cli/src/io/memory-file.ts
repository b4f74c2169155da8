import { gunzipSync } from 'node:zlib';
import type { LineFile } from '@market-state/labeler';
import { recordingLineBatches } from '@market-state/market-data';
import { badInput } from '../cli-error';

/** The lines of bytes that are text or gzip. @throws CliError (bad input) when their gzip is broken */
export function memoryFile(name: string, bytes: Uint8Array): LineFile {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = isGzip ? unpacked(name, bytes) : bytes;
  return { name, lines: { [Symbol.asyncIterator]: () => recordingLineBatches(once(text)) } };
}

function unpacked(name: string, bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes);
  } catch (error) {
    throw badInput(`${name}: its gzip is broken: ${(error as Error).message}`);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
