import { fromGrpcError } from './error-translation';
import { type ServiceError, unavailable } from '@market-state/errors';
import { backoffMs, delay, runUntilClosed } from '@market-state/lifecycle';

export interface FollowStreamOptions<T> {
  /** Opens the stream again, for example `(signal) => client.call.watchKeys({}, { signal })`. */
  readonly open: (signal: AbortSignal) => AsyncIterable<T>;
  /** Takes one message; the next is read when it is done. A rejection breaks the stream like a lost connection. */
  readonly onMessage: (message: T) => void | Promise<void>;
  /** The first message of a connection has come. */
  readonly onUp?: () => void;
  /** The stream that was up is down, or a first connection failed. */
  readonly onDown?: (error: ServiceError) => void;
  /** Delay before a retry, milliseconds; default 100 to 2,000 with jitter. */
  readonly minDelayMs?: number;
  readonly maxDelayMs?: number;
}

export interface FollowedStream {
  /** Whether messages are coming. */
  isUp(): boolean;
  close(): Promise<void>;
}

/** Reads a server stream until closed: a stream that breaks or ends is opened again, with growing delays. */
export function followStream<T>(options: FollowStreamOptions<T>): FollowedStream {
  const { minDelayMs = 100, maxDelayMs = 2_000 } = options;
  let up = false;
  let failures = 0;

  async function readOnce(signal: AbortSignal): Promise<void> {
    for await (const message of options.open(signal)) {
      if (!up) {
        up = true;
        failures = 0;
        options.onUp?.();
      }
      await options.onMessage(message);
    }
    if (!signal.aborted) throw unavailable('upstream_unavailable', 'A stream from a service ended.');
  }

  async function readOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await readOnce(signal);
      } catch (thrown) {
        if (signal.aborted) return;
        const wasUp = up;
        up = false;
        if (wasUp || failures === 0) options.onDown?.(fromGrpcError(thrown));
        await delay(backoffMs(failures, { minMs: minDelayMs, maxMs: maxDelayMs }), signal).catch(() => undefined);
        failures += 1;
      }
    }
  }

  const following = runUntilClosed(readOn);
  return {
    isUp: () => up,
    async close() {
      await following.close();
      up = false;
    },
  };
}
