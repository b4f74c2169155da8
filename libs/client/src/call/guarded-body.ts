import { TransportError } from '../errors';

/**
 * The same answer, whose body breaks off when nothing of it comes for so long, or when the signal aborts: what reads it is told, and
 * the connection is closed.
 * @param silenceMs longest time between two pieces, milliseconds
 */
export function guardedBody(response: Response, silenceMs: number, requestId: string, signal: AbortSignal | undefined): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const guarded = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieceOf(reader, silenceMs, requestId, signal);
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(guarded, { status, statusText, headers });
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

function pieceOf(reader: Reader, silenceMs: number, requestId: string, signal: AbortSignal | undefined): ReturnType<Reader['read']> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      settle();
      reader.cancel(error).catch(() => undefined);
      reject(error);
    };
    const stop = (): void => fail(signal?.reason);
    const timer = setTimeout(() => fail(new TransportError('The answer was silent for too long.', requestId, 1)), silenceMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
    if (signal?.aborted === true) return stop();
    signal?.addEventListener('abort', stop, { once: true });
    reader.read().then(
      (piece) => {
        settle();
        resolve(piece);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
  });
}
