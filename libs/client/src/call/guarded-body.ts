import { TransportError } from '../errors';
import { startDeadline } from './deadline';

/**
 * The same answer, whose body breaks off when nothing of it comes for so long, or when the signal aborts: what reads it is told, and
 * the connection is closed.
 * @param silenceMs longest time between two pieces, milliseconds
 */
export function guardedBody(response: Response, silenceMs: number, requestId: string, signal: AbortSignal | undefined): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const deadline = startDeadline(silenceMs, signal);
        const ended = new Promise<never>((_resolve, reject) => {
          const end = (): void =>
            reject(deadline.isOver() ? new TransportError('No whole answer came in time.', requestId, 1) : signal?.reason);
          deadline.signal.addEventListener('abort', end);
          if (deadline.signal.aborted) end();
        });
        try {
          const { done, value } = await Promise.race([reader.read(), ended]);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          reader.cancel().catch(() => undefined);
          throw error;
        } finally {
          deadline.end();
        }
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
