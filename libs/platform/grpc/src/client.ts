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

/** A method for each RPC: a promise, or an async iterable for a streamed answer. Failures are ServiceErrors. */
export type ClientCalls<D extends ServiceMethods> = {
  readonly [K in keyof D]: D[K]['responseStream'] extends true
    ? (request: RequestOf<D[K]>, options?: StreamOptions) => AsyncIterable<ResponseOf<D[K]>>
    : (request: RequestOf<D[K]>, options?: UnaryOptions) => Promise<ResponseOf<D[K]>>;
};

export interface ClientOptions<D extends ServiceMethods> {
  readonly definition: D;
  /**
   * `host:port`, or a grpc target such as `dns:///name:port` (balanced round robin); or those of several processes, any of which can take
   * any call.
   */
  readonly address: string | readonly string[];
  /** The service at these addresses, as this process proves itself to it: `identity.to('account')`. */
  readonly peer: RpcPeer;
  /** Paths of methods that may be sent twice (`IDEMPOTENT` of the contracts); only these are retried, and only on UNAVAILABLE. */
  readonly idempotent?: ReadonlySet<string>;
  /**
   * Methods without a breaker and without retries: their callers retry at a pace of their own, and must reach the service as soon as it is
   * back.
   */
  readonly unguarded?: readonly UnaryNames<D>[];
  /** Time of a unary call when it sets none, milliseconds; default 2,000. */
  readonly deadlineMs?: number;
  readonly metrics?: Metrics;
  /** A clock that never goes backwards, milliseconds, by which the breaker counts. */
  readonly monotonicMs?: () => number;
}

export interface GrpcClient<D extends ServiceMethods> {
  readonly call: ClientCalls<D>;
  /** Unary calls sent so far, retries included; of one method, or of all. */
  unaryCallTotal(method?: UnaryNames<D>): number;
  close(): Promise<void>;
}

/** Lets every call through. */
const UNGUARDED: Breaker = { admit: () => () => undefined };

/**
 * A typed client of one service; calls go in turn to those of its targets that are connected. Every unary call has a deadline, carries
 * the request id and the trace, ends when the request being served is cancelled, and is refused with `overloaded` beyond 200 in flight.
 * One tenant has at most a quarter of these: its further calls wait, within their deadlines, and are refused with
 * RESOURCE_EXHAUSTED `too_many_calls_at_once` after 1 s or when 500 wait.
 * Where half of at least 20 calls of a method in 10 s found the service away, late or broken, calls of that method are refused as
 * UNAVAILABLE for 5 s, then until 3 were answered. Streams count in neither: whoever opens them limits them, and whoever follows them
 * waits by itself.
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
    refusal: () => resourceExhausted('too_many_calls_at_once', 'Too many calls of the tenant are in flight at once; try again.'),
  });
  let inFlight = 0;

  function enter(): () => void {
    if (inFlight >= IN_FLIGHT_MAX) throw unavailable('overloaded', 'Too many calls are waiting for a service; try again.');
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
        throw unavailable('upstream_unavailable', 'A service needed for this answer cannot be reached.', {
          detail: `calls of ${method.path} are refused: too many have failed`,
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
