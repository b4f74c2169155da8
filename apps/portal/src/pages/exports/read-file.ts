import { TransportError, VerificationError } from '@market-state/client';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** `isWhole` if the server ignored the range and sent the whole file. */
type OpenFrom = (from: number) => Promise<{ readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null; readonly isWhole: boolean }>;

/** Consecutive responses without any bytes. */
const FAILURES_MAX = 5;

interface Wanted {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Resumes interrupted downloads and compares the SHA-256.
 * @param onRead receives the bytes read so far
 * @throws VerificationError if the digest differs
 */
export async function readFile(wanted: Wanted, open: OpenFrom, onRead: (bytes: number) => void): Promise<Blob> {
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let hash = sha256.create();
  let read = 0;
  for (let failures = 0; read < wanted.bytes; ) {
    const before = read;
    try {
      const { body, isWhole } = await open(read);
      if (isWhole && read > 0) [parts, hash, read] = [[], sha256.create(), 0];
      for await (const chunk of chunksOf(body)) {
        parts.push(chunk);
        hash.update(chunk);
        read += chunk.length;
        onRead(read);
      }
      failures = read > before ? 0 : failures + 1;
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof TransportError)) throw error;
      failures = read > before ? 0 : failures + 1;
    }
    if (failures >= FAILURES_MAX) throw new TransportError(`${wanted.name} could not be downloaded completely.`, '', failures, undefined);
  }
  const digest = bytesToHex(hash.digest());
  if (digest !== wanted.sha256)
    throw new VerificationError('sha256_mismatch', `${wanted.name} has SHA-256 ${digest}; expected ${wanted.sha256}.`);
  return new Blob(parts);
}

async function* chunksOf(body: ReadableStream<Uint8Array<ArrayBuffer>> | null): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (body === null) return;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
