import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { cancelled, deadlineExceeded } from '@market-state/errors';
import { type RequestContext, requestIdOr } from '@market-state/logging';

/** Metadata key of the request id. */
export const REQUEST_ID_KEY = 'x-request-id';

/** What a handler knows of the call it serves. */
export interface CallContext extends RequestContext {
  /** Aborts when the caller gave up, its deadline passed or the process stops serving streams. */
  readonly signal: AbortSignal;
}

type ServerCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

/** A call's context and what ends it. */
export interface OpenCall {
  readonly context: CallContext;
  /** Aborts the context's signal. */
  abort(reason: Error): void;
  /** Frees the deadline's timer. */
  done(): void;
}

/** The first text value of a metadata key; undefined when there is none. */
export function firstValue(call: ServerCall, key: string): string | undefined {
  const value = call.metadata.get(key)[0];
  return typeof value === 'string' ? value : undefined;
}

/** Opens the context of an incoming call: request id from the caller or a new one, deadline, cancellation. */
export function openCall(call: ServerCall): OpenCall {
  const controller = new AbortController();
  const deadline = Number(call.getDeadline());
  const deadlineMs = Number.isFinite(deadline) ? deadline : undefined;
  call.on('cancelled', () => controller.abort(cancelled()));
  const timer =
    deadlineMs === undefined
      ? undefined
      : setTimeout(
          () => controller.abort(deadlineExceeded('deadline_exceeded', "The caller's time was up.")),
          Math.max(0, deadlineMs - Date.now()),
        );
  return {
    context: { requestId: requestIdOr(firstValue(call, REQUEST_ID_KEY)), deadlineMs, signal: controller.signal },
    abort: (reason) => controller.abort(reason),
    done: () => clearTimeout(timer),
  };
}
