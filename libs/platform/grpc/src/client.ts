import { resourceExhausted, unavailable, cancelled, type ServiceError, deadlineExceeded } from '@market-state/errors';
import { createKeyedConcurrencyLimit, backoffMs, delay } from '@market-state/lifecycle';
import { currentRequestContext } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { type Client, Metadata } from '@grpc/grpc-js';
import { openSpan, injectTrace, type OpenSpan } from '@market-state/tracing';
import { type Breaker, createBreaker, outcomeOf } from './breaker';
import type { RpcPeer } from './identity/identity';
import {
  IN_FLIGHT_MAX,
  READ_DEADLINE_MS,
  TENANT_IN_FLIGHT_MAX,
  TENANT_WAIT_MS_MAX,
  TENANT_WAITING_MAX,
  STREAM_IDLE_MS,
  HOP_RESERVE_MS,
} from './limits';
import {
  type MethodShape,
  type RequestOf,
  type ResponseOf,
  type ServiceMethods,
  serviceNameOf,
  type UnaryNames,
  REQUEST_ID_KEY,
} from './service';
import { createTargets, type AcquiredChannel } from './targets';
import { endCallSpan, fromGrpcError } from './error-translation';

/**
 * Own deadline, or that of the request being served less 50 ms.
 * @throws {ServiceError} DEADLINE_EXCEEDED if no time is left
 */
function outgoingDeadlineMs(ownMs: number, nowMs: number): number {
  const inherited = currentRequestContext()?.deadlineMs;
  const deadlineMs = Math.min(nowMs + ownMs, inherited === undefined ? Infinity : inherited - HOP_RESERVE_MS);
  if (deadlineMs <= nowMs) throw deadlineExceeded('deadline_exceeded', "The caller's time was up.");
  return deadlineMs;
}

const TRIES_MAX = 3;

/** Retries are limited to 10 % of calls, plus a reserve of 10. */
interface RetryBudget {
  earn(): void;
  /** False if used up. */
  spend(): boolean;
}

const RESERVE = 10;
const EARNED_PER_CALL = 0.1;

/** Each call earns a tenth of a retry. */
function createRetryBudget(): RetryBudget {
  let tokens = RESERVE;
  return {
    earn() {
      tokens = Math.min(RESERVE, tokens + EARNED_PER_CALL);
    },
    spend() {
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}

function outgoingMetadata(peer: RpcPeer, path: string, span: OpenSpan, requestId: string | undefined): Metadata {
  const metadata = new Metadata();
  peer.prove(metadata, path);
  const id = requestId ?? currentRequestContext()?.requestId;
  if (id !== undefined) metadata.set(REQUEST_ID_KEY, id);
  injectTrace(span.context, (key, value) => metadata.set(key, value));
  return metadata;
}

/** Includes the request being served. */
function outgoingSignal(own: AbortSignal | undefined): AbortSignal | undefined {
  const inherited = currentRequestContext()?.signal;
  if (own === undefined || inherited === undefined) return own ?? inherited;
  return AbortSignal.any([own, inherited]);
}

interface StreamOptions {
  /** Ends the stream without an error, like the end of the request being served. */
  readonly signal?: AbortSignal;
  readonly requestId?: string;
  /** Default 30,000. */
  readonly idleLimitMs?: number;
}

interface StreamDeps {
  readonly channel: Client;
  readonly method: MethodShape;
  readonly peer: RpcPeer;
  readonly metrics?: Metrics;
}

/**
 * Has no deadline. Ends with the server or the signal.
 * @throws {ServiceError} if it breaks, UNAVAILABLE if silent for too long
 */
async function* readStream(deps: StreamDeps, request: unknown, options: StreamOptions): AsyncGenerator<unknown, void, undefined> {
  const signal = outgoingSignal(options.signal);
  const isStopped = (): boolean => signal?.aborted === true;
  if (isStopped()) return;
  const idleLimitMs = options.idleLimitMs ?? STREAM_IDLE_MS;
  const span = openSpan(deps.method.path, { role: 'client', attributes: { 'rpc.system': 'grpc' } });
  const call = deps.channel.makeServerStreamRequest(
    deps.method.path,
    deps.method.requestSerialize as (value: unknown) => Buffer,
    deps.method.responseDeserialize,
    request,
    outgoingMetadata(deps.peer, deps.method.path, span, options.requestId),
  );
  let silent = false;
  const onAbort = (): void => call.cancel();
  signal?.addEventListener('abort', onAbort, { once: true });
  const messages = call[Symbol.asyncIterator]() as AsyncIterator<unknown>;
  try {
    for (;;) {
      const idle = setTimeout(() => {
        silent = true;
        call.cancel();
      }, idleLimitMs);
      const next = await messages.next().finally(() => clearTimeout(idle));
      if (next.done === true) break;
      yield next.value;
    }
    endCallSpan(span, undefined);
  } catch (thrown) {
    if (isStopped()) {
      endCallSpan(span, undefined);
      return;
    }
    const error = silent
      ? unavailable('upstream_unavailable', 'A stream from a service went silent.', {
          detail: `${deps.method.path} was silent for ${idleLimitMs} ms`,
          cause: thrown,
        })
      : fromGrpcError(thrown);
    endCallSpan(span, error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    call.on('error', () => undefined);
    call.cancel();
  }
}

interface UnaryOptions {
  /** Includes retries; limited by the request being served. */
  readonly deadlineMs?: number;
  /** Default: that of the request being served. */
  readonly requestId?: string;
  /** The request being served cancels the call too. */
  readonly signal?: AbortSignal;
}

interface UnaryDeps {
  readonly take: () => AcquiredChannel;
  readonly method: MethodShape;
  readonly peer: RpcPeer;
  readonly budget: RetryBudget;
  readonly idempotent: boolean;
  readonly metrics?: Metrics;
  readonly onSent: () => void;
}

/** Retries on UNAVAILABLE if allowed and time is left. Rejects with a ServiceError. */
async function callWithRetries(deps: UnaryDeps, request: unknown, options: UnaryOptions & { deadlineMs: number }): Promise<unknown> {
  const deadlineMs = outgoingDeadlineMs(options.deadlineMs, Date.now());
  const signal = outgoingSignal(options.signal);
  const span = openSpan(deps.method.path, { role: 'client', attributes: { 'rpc.system': 'grpc' } });
  const startedMs = performance.now();
  const finish = (error?: ServiceError): void => {
    endCallSpan(span, error);
    deps.metrics?.grpcClient.observe({ method: deps.method.path, code: error?.code ?? 'OK' }, (performance.now() - startedMs) / 1_000);
  };
  deps.budget.earn();
  for (let attempt = 0; ; attempt += 1) {
    try {
      if (signal?.aborted === true) throw cancelled({ cause: signal.reason });
      deps.onSent();
      const response = await send(
        deps,
        request,
        outgoingMetadata(deps.peer, deps.method.path, span, options.requestId),
        deadlineMs,
        signal,
      );
      finish();
      return response;
    } catch (thrown) {
      const error = fromGrpcError(thrown);
      const waitMs = backoffMs(attempt, { minMs: 100, maxMs: 1_000 });
      const again =
        deps.idempotent &&
        error.code === 'UNAVAILABLE' &&
        attempt + 1 < TRIES_MAX &&
        Date.now() + waitMs < deadlineMs &&
        deps.budget.spend();
      if (!again) {
        finish(error);
        throw error;
      }
      await delay(waitMs, signal).catch(() => undefined);
    }
  }
}

async function send(
  deps: UnaryDeps,
  request: unknown,
  metadata: ReturnType<typeof outgoingMetadata>,
  deadlineMs: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { channel, done } = deps.take();
  try {
    const response = await sendOver(channel, deps.method, request, metadata, deadlineMs, signal);
    done('answered');
    return response;
  } catch (thrown) {
    const error = fromGrpcError(thrown);
    done(outcomeOf(error));
    throw error;
  }
}

function sendOver(
  channel: Client,
  method: MethodShape,
  request: unknown,
  metadata: ReturnType<typeof outgoingMetadata>,
  deadlineMs: number,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => call.cancel();
    const call = channel.makeUnaryRequest(
      method.path,
      method.requestSerialize as (value: unknown) => Buffer,
      method.responseDeserialize,
      request,
      metadata,
      { deadline: deadlineMs },
      (error, response) => {
        signal?.removeEventListener('abort', onAbort);
        if (error === null) resolve(response);
        else reject(error);
      },
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

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
