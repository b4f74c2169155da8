import { Client, credentials } from '@grpc/grpc-js';
import { unavailable } from '@market-state/errors';
import type { Metrics } from '@market-state/telemetry';
import { IN_FLIGHT_MAX, KEEPALIVE_ANSWER_MS, KEEPALIVE_MS, MESSAGE_BYTES_MAX, READ_DEADLINE_MS } from './limits';
import type { MethodShape, RequestOf, ResponseOf, ServiceMethods, UnaryNames } from './method-types';
import { createRetryBudget } from './retry';
import { readStream, type StreamOptions } from './stream-call';
import { callWithRetries, type UnaryOptions } from './unary-call';

/** A method for each RPC: a promise, or an async iterable for a streamed answer. Failures are ServiceErrors. */
export type ClientCalls<D extends ServiceMethods> = {
  readonly [K in keyof D]: D[K]['responseStream'] extends true
    ? (request: RequestOf<D[K]>, options?: StreamOptions) => AsyncIterable<ResponseOf<D[K]>>
    : (request: RequestOf<D[K]>, options?: UnaryOptions) => Promise<ResponseOf<D[K]>>;
};

export interface ClientOptions<D extends ServiceMethods> {
  readonly definition: D;
  /** `host:port`, or a grpc target such as `dns:///name:port` (balanced round robin). */
  readonly address: string;
  /** Methods that may be sent twice; only these are tried again, and only on UNAVAILABLE. */
  readonly idempotent?: readonly UnaryNames<D>[];
  /** Time of a unary call when it sets none, milliseconds; default 2,000. */
  readonly deadlineMs?: number;
  readonly metrics?: Metrics;
}

export interface GrpcClient<D extends ServiceMethods> {
  readonly call: ClientCalls<D>;
  /** Unary calls sent so far, retries included; of one method, or of all. */
  unaryCallTotal(method?: UnaryNames<D>): number;
  close(): Promise<void>;
}

/**
 * A typed client of one service at one target. Every unary call has a deadline, carries the request id and the trace,
 * ends when the request being served is cancelled, and is refused with `overloaded` beyond 100 in flight. Streams do not
 * count among these: whoever opens them limits them.
 */
export function createClient<D extends ServiceMethods>(options: ClientOptions<D>): GrpcClient<D> {
  const channel = new Client(options.address, credentials.createInsecure(), {
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_ANSWER_MS,
    'grpc.keepalive_permit_without_calls': 1,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
    'grpc.enable_retries': 0,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  });
  const budget = createRetryBudget();
  const totals = new Map<string, number>();
  let inFlight = 0;

  function enter(): () => void {
    if (inFlight >= IN_FLIGHT_MAX) throw unavailable('overloaded', 'Too many calls are waiting for a service; try again.');
    inFlight += 1;
    return () => {
      inFlight -= 1;
    };
  }

  function unary(key: string, method: MethodShape) {
    const idempotent = (options.idempotent as readonly string[] | undefined)?.includes(key) ?? false;
    return async (request: unknown, callOptions: UnaryOptions = {}): Promise<unknown> => {
      const leave = enter();
      try {
        return await callWithRetries(
          {
            channel,
            method,
            budget,
            idempotent,
            metrics: options.metrics,
            onSent: () => totals.set(key, (totals.get(key) ?? 0) + 1),
          },
          request,
          { deadlineMs: options.deadlineMs ?? READ_DEADLINE_MS, ...callOptions },
        );
      } finally {
        leave();
      }
    };
  }

  function stream(method: MethodShape) {
    return (request: unknown, streamOptions: StreamOptions = {}): AsyncGenerator<unknown> => readStream({ channel, method, metrics: options.metrics }, request, streamOptions);
  }

  const calls = Object.fromEntries(
    Object.entries<MethodShape>(options.definition).map(([key, method]) => [key, method.responseStream ? stream(method) : unary(key, method)]),
  );
  return {
    call: calls as ClientCalls<D>,
    unaryCallTotal: (method) => (method === undefined ? [...totals.values()].reduce((sum, total) => sum + total, 0) : (totals.get(method) ?? 0)),
    close() {
      channel.close();
      return Promise.resolve();
    },
  };
}
