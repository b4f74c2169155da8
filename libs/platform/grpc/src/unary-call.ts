import type { Client } from '@grpc/grpc-js';
import { cancelled, type ServiceError } from '@market-state/errors';
import { backoffMs, delay } from '@market-state/lifecycle';
import type { Metrics } from '@market-state/telemetry';
import { openSpan } from '@market-state/tracing';
import { outcomeOf } from './call-outcome';
import type { TakenChannel } from './channels';
import { outgoingDeadlineMs } from './deadline';
import { endCallSpan } from './end-span';
import { fromGrpcError } from './error-translation';
import type { RpcPeer } from './identity/identity';
import type { MethodShape } from './method-types';
import { outgoingMetadata, outgoingSignal } from './outgoing';
import { type RetryBudget, TRIES_MAX } from './retry';

export interface UnaryOptions {
  /** Time for the call, retries included, milliseconds from now. Cut to what the request being served has left. */
  readonly deadlineMs?: number;
  /** Default: that of the request being served. */
  readonly requestId?: string;
  /** Cancels the call. The request being served cancels it too. */
  readonly signal?: AbortSignal;
}

export interface UnaryDeps {
  /** Gives the channel of a try. */
  readonly take: () => TakenChannel;
  readonly method: MethodShape;
  readonly peer: RpcPeer;
  readonly budget: RetryBudget;
  readonly idempotent: boolean;
  readonly metrics?: Metrics;
  /** Called each time a request is sent. */
  readonly onSent: () => void;
}

/** Makes one call, with retries on UNAVAILABLE if allowed and time is left. Rejects with a ServiceError. */
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
