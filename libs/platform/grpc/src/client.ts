import { resourceExhausted, unavailable } from '@market-state/errors';
import { createKeyedConcurrencyLimit } from '@market-state/lifecycle';
import { currentRequestContext } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { type Breaker, createBreaker, outcomeOf } from './breaker';
import type { RpcPeer } from './identity/identity';
import { IN_FLIGHT_MAX, READ_DEADLINE_MS, TENANT_IN_FLIGHT_MAX, TENANT_WAIT_MS_MAX, TENANT_WAITING_MAX } from './limits';
import { type MethodShape, type RequestOf, type ResponseOf, type ServiceMethods, serviceNameOf, type UnaryNames } from './service';
import { createRetryBudget, readStream, type StreamOptions, callWithRetries, type UnaryOptions } from './outgoing-call';
import { createTargets } from './targets';

/** Promise, or async iterable for a streamed answer. Failures are ServiceErrors. */
export type ClientCalls<D extends ServiceMethods> = {
  readonly [K in keyof D]: D[K]['responseStream'] extends true
    ? (request: RequestOf<D[K]>, options?: StreamOptions) => AsyncIterable<ResponseOf<D[K]>>
    : (request: RequestOf<D[K]>, options?: UnaryOptions) => Promise<ResponseOf<D[K]>>;
};

export interface ClientOptions<D extends ServiceMethods> {
  readonly definition: D;
  /** `host:port`, a grpc target such as `dns:///name:port`, or several; any process can take any call. */
  readonly address: string | readonly string[];
  /** For example `identity.to('account')`. */
  readonly peer: RpcPeer;
  /** Only these are retried, and only on UNAVAILABLE. */
  readonly idempotent?: ReadonlySet<string>;
  /** Without breaker and retries: their callers retry themselves and must reach the service as soon as it is back. */
  readonly unguarded?: readonly UnaryNames<D>[];
  /** Unary calls; default 2,000. */
  readonly deadlineMs?: number;
  readonly metrics?: Metrics;
  readonly monotonicMs?: () => number;
}

export interface GrpcClient<D extends ServiceMethods> {
  readonly call: ClientCalls<D>;
  /** Sent so far, retries included. */
  unaryCallTotal(method?: UnaryNames<D>): number;
  close(): Promise<void>;
}

const UNGUARDED: Breaker = { admit: () => () => undefined };

/**
 * Unary calls have a deadline, carry request id and trace, end with the request being served, and are refused with `overloaded` beyond 200
 * in flight. A tenant may use a quarter of these; further calls are queued, and refused with `too_many_calls_at_once` after 1 s or beyond
 * 500. Each method has a breaker. Streams have no such limits.
 */
export function createClient<D extends ServiceMethods>(options: ClientOptions<D>): GrpcClient<D> {
  const { peer, metrics, monotonicMs = () => performance.now() } = options;
  const [first] = Object.values<MethodShape>(options.definition);
  const service = first === undefined ? '' : serviceNameOf(first.path);
  const targets = createTargets([options.address].flat(), peer);
  const budget = createRetryBudget();
  const totals = new Map<string, number>();
  const limitTenant = createKeyedConcurrencyLimit(TENANT_IN_FLIGHT_MAX, {
    waitingMax: TENANT_WAITING_MAX,
    waitMsMax: TENANT_WAIT_MS_MAX,
    refusal: () => resourceExhausted('too_many_calls_at_once', 'Too many calls of this tenant are in flight. Retry.'),
  });
  let inFlight = 0;

  function enter(): () => void {
    if (inFlight >= IN_FLIGHT_MAX) throw unavailable('overloaded', 'Too many calls are queued for a service. Retry.');
    inFlight += 1;
    return () => {
      inFlight -= 1;
    };
  }

  function unary(key: string, method: MethodShape) {
    const isGuarded = !((options.unguarded as readonly string[] | undefined)?.includes(key) ?? false);
    const breaker: Breaker = isGuarded
      ? createBreaker({ monotonicMs, onOpen: () => metrics?.grpcBreakerOpened.inc({ service }) })
      : UNGUARDED;
    const idempotent = isGuarded && options.idempotent?.has(method.path) === true;
    const send = async (request: unknown, callOptions: UnaryOptions & { deadlineMs: number }): Promise<unknown> => {
      const leave = enter();
      const report = breaker.admit();
      if (report === undefined) {
        leave();
        throw unavailable('upstream_unavailable', 'A service needed for this answer is unreachable.', {
          detail: `circuit breaker of ${method.path} is open: too many calls failed`,
        });
      }
      try {
        const response = await callWithRetries(
          {
            take: targets.take,
            method,
            peer,
            budget,
            idempotent,
            metrics,
            onSent: () => totals.set(key, (totals.get(key) ?? 0) + 1),
          },
          request,
          callOptions,
        );
        report('answered');
        return response;
      } catch (error) {
        report(outcomeOf(error));
        throw error;
      } finally {
        leave();
      }
    };
    return (request: unknown, callOptions: UnaryOptions = {}): Promise<unknown> => {
      const { tenantId } = currentRequestContext() ?? {};
      const deadlineMs = callOptions.deadlineMs ?? options.deadlineMs ?? READ_DEADLINE_MS;
      if (tenantId === undefined) return send(request, { ...callOptions, deadlineMs });
      const calledMs = Date.now();
      return limitTenant(tenantId, () => send(request, { ...callOptions, deadlineMs: deadlineMs - (Date.now() - calledMs) }));
    };
  }

  function stream(method: MethodShape) {
    return async function* (request: unknown, streamOptions: StreamOptions = {}): AsyncGenerator<unknown> {
      const taken = targets.take();
      try {
        yield* readStream({ channel: taken.channel, method, peer, metrics }, request, streamOptions);
      } finally {
        taken.done();
      }
    };
  }

  const calls = Object.fromEntries(
    Object.entries<MethodShape>(options.definition).map(([key, method]) => [
      key,
      method.responseStream ? stream(method) : unary(key, method),
    ]),
  );
  return {
    call: calls as ClientCalls<D>,
    unaryCallTotal: (method) =>
      method === undefined ? [...totals.values()].reduce((sum, total) => sum + total, 0) : (totals.get(method) ?? 0),
    close() {
      targets.close();
      return Promise.resolve();
    },
  };
}
