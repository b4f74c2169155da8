import type { ServerResponse } from 'node:http';
import { unavailable } from '@market-state/errors';
import { onAnswerOver } from '../http/answer-over';
import { chargeOnDelivery } from '../metering/charge-on-delivery';
import type { FileRequest } from './file-request';

/** What an answer begins with, and how long it is. */
export interface AnswerHead {
  readonly status: number;
  /** Name and value in turns. */
  readonly head: readonly string[];
  readonly sizeBytes: number;
  /** Units that the call is charged by. */
  readonly observed: number | undefined;
}

/** Resolves when the reader has taken what was written, or the answer is over. */
function taken(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done);
      stopWatching();
      resolve();
    };
    let stopWatching = (): void => undefined;
    res.once('drain', done);
    stopWatching = onAnswerOver(res, done);
  });
}

/**
 * Sends bytes as they come, the next only when the reader has taken the one before. Nothing is sent before the first has come, so that a
 * source that cannot be read is still an error answer. Throws when the source breaks or is not as long as it was said to be. When the
 * caller has gone or `stop` aborts, it returns with an answer that is not ended, to be destroyed.
 */
export async function sendBytes(
  { req, res, requestId, charge, headers }: FileRequest,
  { status, head, sizeBytes, observed }: AnswerHead,
  bytes: AsyncIterable<Uint8Array>,
  stop: AbortController,
): Promise<void> {
  let sentBytes = 0;
  const stopWatching = onAnswerOver(res, () => stop.abort());
  try {
    for await (const piece of bytes) {
      if (stop.signal.aborted || !req.socket.writable) return;
      const isFirst = !res.headersSent;
      if (isFirst) res.writeHead(status, [...head, ...headers, ...(charge?.settle(observed, status) ?? []), 'X-Request-Id', requestId]);
      sentBytes += piece.length;
      if (sentBytes > sizeBytes) break;
      const isTaken = res.write(piece);
      if (isFirst && charge !== null) chargeOnDelivery(charge, req, res);
      if (!isTaken) await taken(res);
    }
    if (stop.signal.aborted) return;
    if (sentBytes !== sizeBytes)
      throw unavailable('upstream_unavailable', 'A file could not be read to its end.', {
        detail: `${sentBytes} bytes came of ${sizeBytes}`,
      });
    res.end();
  } finally {
    stopWatching();
  }
}
