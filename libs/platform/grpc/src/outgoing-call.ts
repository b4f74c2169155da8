import { type Client, Metadata } from '@grpc/grpc-js';
import { cancelled, type ServiceError, unavailable, deadlineExceeded } from '@market-state/errors';
import { backoffMs, delay } from '@market-state/lifecycle';
import { currentRequestContext } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { openSpan, injectTrace, type OpenSpan } from '@market-state/tracing';
import { outcomeOf } from './breaker';
import type { AcquiredChannel } from './targets';
import { endCallSpan, fromGrpcError } from './error-translation';
import type { RpcPeer } from './identity/identity';
import type { MethodShape } from './service';
import { STREAM_IDLE_MS, HOP_RESERVE_MS } from './limits';
import { REQUEST_ID_KEY } from './call-context';

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
export function createRetryBudget(): RetryBudget {
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

export interface StreamOptions {
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
export async function* readStream(deps: StreamDeps, request: unknown, options: StreamOptions): AsyncGenerator<unknown, void, undefined> {
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

export interface UnaryOptions {
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
export async function callWithRetries(deps: UnaryDeps, request: unknown, options: UnaryOptions & { deadlineMs: number }): Promise<unknown> {
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
