import type { handleUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { type ServiceError, unavailable } from '@market-state/errors';
import { type Logger, withRequestContext } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { extractTrace, insideTrace, openSpan } from '@market-state/tracing';
import { type CallContext, firstValue, openCall } from './call-context';
import { endCallSpan, toStatus } from './error-translation';
import type { StreamHandler, UnaryHandler } from './service';

export interface HandlingDeps {
  readonly logger: Logger;
  readonly metrics?: Metrics;
  /** Ends streams on shutdown. */
  readonly stopping: AbortSignal;
}

type AnyCall = Parameters<typeof openCall>[0];

/** `finish` closes span and context, and logs our own failures. */
function beginCall(path: string, call: AnyCall, deps: HandlingDeps) {
  const startedMs = performance.now();
  const opened = openCall(call);
  const span = openSpan(path, {
    role: 'server',
    parent: extractTrace((key) => firstValue(call, key)),
    attributes: { 'rpc.system': 'grpc' },
  });
  const run = <T>(work: () => T): T => insideTrace(span.context, () => withRequestContext(opened.context, work));
  const finish = (error?: ServiceError): void => {
    opened.done();
    endCallSpan(span, error);
    const code = error?.code ?? 'OK';
    deps.metrics?.grpcServer.observe({ method: path, code }, (performance.now() - startedMs) / 1_000);
    run(() => logEnd(deps.logger, { method: path, code }, error));
  };
  return { ...opened, run, finish };
}

function logEnd(logger: Logger, fields: { readonly method: string; readonly code: string }, error: ServiceError | undefined): void {
  if (error === undefined) logger.debug(fields, 'call served');
  else if (error.code === 'INTERNAL') logger.error({ ...fields, err: error, detail: error.detail }, 'call failed');
  else logger.debug({ ...fields, reason: error.reason, detail: error.detail }, 'call refused');
}

export function serveUnary(path: string, handler: UnaryHandler<unknown, unknown>, deps: HandlingDeps): handleUnaryCall<unknown, unknown> {
  return (call, callback) => {
    const opened = beginCall(path, call, deps);
    opened
      .run(async () => handler(call.request, opened.context))
      .then(
        (response) => {
          opened.finish();
          callback(null, response);
        },
        (thrown: unknown) => {
          const { status, error } = toStatus(opened.context.signal.aborted ? opened.context.signal.reason : thrown);
          opened.finish(error);
          callback(status);
        },
      );
  };
}

/** With backpressure. */
export function serveStream(path: string, handler: StreamHandler<unknown, unknown>, deps: HandlingDeps) {
  return (call: ServerWritableStream<unknown, unknown>): void => {
    const opened = beginCall(path, call, deps);
    const onStop = (): void => opened.abort(unavailable('stopping', 'The service is stopping.'));
    if (deps.stopping.aborted) onStop();
    deps.stopping.addEventListener('abort', onStop, { once: true });
    opened
      .run(() => pump(call, handler(call.request, opened.context), opened.context))
      .then(
        () => {
          opened.finish();
          call.end();
        },
        (thrown: unknown) => {
          const { status, error } = toStatus(opened.context.signal.aborted ? opened.context.signal.reason : thrown);
          opened.finish(error);
          call.emit('error', status);
        },
      )
      .finally(() => deps.stopping.removeEventListener('abort', onStop));
  };
}

async function pump(call: ServerWritableStream<unknown, unknown>, messages: AsyncIterable<unknown>, context: CallContext): Promise<void> {
  const iterator = messages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilAborted(iterator.next(), context.signal);
      if (next.done === true) return;
      if (!call.write(next.value)) await untilAborted(drained(call), context.signal);
    }
  } finally {
    iterator.return?.().catch(() => undefined);
  }
}

function drained(call: ServerWritableStream<unknown, unknown>): Promise<void> {
  return new Promise((resolve) => call.once('drain', () => resolve()));
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
