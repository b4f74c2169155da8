import { TransportError } from '@market-state/client';
import { timeLimit } from '@market-state/lifecycle';

const TIMEOUT_MS = 10_000;
/** The longest page has 60 kB. */
const BYTES_MAX = 1_000_000;

/** A text at an address; null where nothing is there. @throws TransportError when it does not come whole, in time and within its bound */
export async function readText(send: typeof fetch, address: string, signal: AbortSignal): Promise<string | null> {
  try {
    const answer = await send(address, { signal: AbortSignal.any([signal, timeLimit(TIMEOUT_MS)]), redirect: 'error' });
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(`It answers ${answer.status}.`);
    return await withinBound(answer);
  } catch (error) {
    throw new TransportError(`The page did not come: ${error instanceof Error ? error.message : String(error)}`, '', 1, error);
  }
}

async function withinBound(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > BYTES_MAX) throw new Error(`It is longer than ${BYTES_MAX} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
