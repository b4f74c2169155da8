import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { cancelled, deadlineExceeded } from '@market-state/errors';
import { type RequestContext, requestIdOr } from '@market-state/logging';

export const REQUEST_ID_KEY = 'x-request-id';

export interface CallContext extends RequestContext {
  /** Also aborts when streams end on shutdown. */
  readonly signal: AbortSignal;
}

type ServerCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

export interface OpenCall {
  readonly context: CallContext;
  abort(reason: Error): void;
  done(): void;
}

export function firstValue(call: ServerCall, key: string): string | undefined {
  const value = call.metadata.get(key)[0];
  return typeof value === 'string' ? value : undefined;
}

/** Uses the caller's request id, deadline and cancellation. */
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
