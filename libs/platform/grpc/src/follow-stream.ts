import { type ServiceError, unavailable } from '@market-state/errors';
import { backoffMs, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Metrics } from '@market-state/telemetry';
import { type ClientCalls, createClient } from './client';
import { eachProcess, type ProcessAddresses } from './each-process';
import type { RpcPeer } from './identity/identity';
import type { ServiceMethods } from './service';
import { fromGrpcError } from './error-translation';

interface FollowStreamOptions<T> {
  /** For example `(signal) => client.call.watchKeys({}, { signal })`. */
  readonly open: (signal: AbortSignal) => AsyncIterable<T>;
  /** Called one at a time. A rejection breaks the stream like a lost connection. */
  readonly onMessage: (message: T) => void | Promise<void>;
  readonly onUp?: () => void;
  /** Also if the first connection failed. */
  readonly onDown?: (error: ServiceError) => void;
  /** Default 100 to 2,000 with jitter. */
  readonly minDelayMs?: number;
  readonly maxDelayMs?: number;
}

export interface FollowedStream {
  isUp(): boolean;
  close(): Promise<void>;
}

/** Reopens a server stream with backoff until closed. */
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

interface FollowEachOptions<D extends ServiceMethods, T> extends ProcessAddresses {
  readonly definition: D;
  readonly peer: RpcPeer;
  readonly metrics?: Metrics;
  readonly open: (call: ClientCalls<D>, signal: AbortSignal) => AsyncIterable<T>;
  /** One at a time per process; `from` identifies it. */
  readonly onMessage: (message: T, from: string) => void | Promise<void>;
  readonly onUp?: (from: string) => void;
  /** Also if the first connection failed, or a name has no address. */
  readonly onDown?: (error: ServiceError, from: string) => void;
  /** It is down and has left its name. */
  readonly onGone?: (from: string) => void;
  /** Default 2,000. */
  readonly maxDelayMs?: number;
}

/** `followStream` for every process of a service. */
export function followEach<D extends ServiceMethods, T>(options: FollowEachOptions<D, T>): FollowedStream {
  const { definition, peer, metrics, open, onMessage, onUp, onDown, maxDelayMs } = options;
  const processes = eachProcess({
    ...options,
    begin(from) {
      const client = createClient({ definition, address: from, peer, metrics });
      const stream = followStream<T>({
        open: (signal) => open(client.call, signal),
        onMessage: (message) => onMessage(message, from),
        onUp: () => onUp?.(from),
        onDown: (error) => onDown?.(error, from),
        maxDelayMs,
      });
      return {
        isUp: stream.isUp,
        async close() {
          await stream.close();
          await client.close();
        },
      };
    },
    onUnknown(listed, cause) {
      const detail = `${listed} has no address`;
      onDown?.(unavailable('upstream_unavailable', 'The address of a service cannot be resolved.', { detail, cause }), listed);
    },
  });
  return {
    isUp: () => processes.all().some((process) => process.isUp()),
    close: () => processes.close(),
  };
}
