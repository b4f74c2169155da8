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
export async function* gunzip(packed: Uint8Array<ArrayBuffer>, bytesMax: number): AsyncGenerator<Uint8Array> {
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
