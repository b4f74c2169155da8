import { type ServiceError, unavailable } from '@market-state/errors';
import type { Metrics } from '@market-state/telemetry';
import { type ClientCalls, createClient } from './client';
import { eachProcess, type ProcessPlaces } from './each-process';
import { type FollowedStream, followStream } from './follow-stream';
import type { RpcPeer } from './identity/identity';
import type { ServiceMethods } from './method-types';

export interface FollowEachOptions<D extends ServiceMethods, T> extends ProcessPlaces {
  readonly definition: D;
  readonly peer: RpcPeer;
  readonly metrics?: Metrics;
  /** Opens the stream of one process again. */
  readonly open: (call: ClientCalls<D>, signal: AbortSignal) => AsyncIterable<T>;
  /** Takes one message of a process, whose next is read when it is done. `from` tells processes apart. */
  readonly onMessage: (message: T, from: string) => void | Promise<void>;
  /** The first message of a connection has come. */
  readonly onUp?: (from: string) => void;
  /** The stream of a process that was up is down, its first connection failed, or a name has no address. */
  readonly onDown?: (error: ServiceError, from: string) => void;
  /** A process that is down has left its name. */
  readonly onGone?: (from: string) => void;
  /** Longest delay before a retry, milliseconds; default 2,000. */
  readonly maxDelayMs?: number;
}

/** Follows a stream of every process of a service until closed, as `followStream` follows one. */
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
      onDown?.(unavailable('upstream_unavailable', 'A service cannot be found.', { detail, cause }), listed);
    },
  });
  return {
    isUp: () => processes.all().some((process) => process.isUp()),
    close: () => processes.close(),
  };
}
