import type { Client } from '@grpc/grpc-js';
import { unavailable } from '@market-state/errors';
import type { Metrics } from '@market-state/telemetry';
import { openSpan } from '@market-state/tracing';
import { endCallSpan } from './end-span';
import { fromGrpcError } from './error-translation';
import type { RpcPeer } from './identity/identity';
import { STREAM_IDLE_MS } from './limits';
import type { MethodShape } from './method-types';
import { outgoingMetadata, outgoingSignal } from './outgoing';

export interface StreamOptions {
  /** Ends the stream without an error. The request being served ends it too. */
  readonly signal?: AbortSignal;
  readonly requestId?: string;
  /** Silence after which the stream counts as broken, milliseconds; default 30,000. */
  readonly idleLimitMs?: number;
}

export interface StreamDeps {
  readonly channel: Client;
  readonly method: MethodShape;
  readonly peer: RpcPeer;
  readonly metrics?: Metrics;
}

/**
 * The messages of one streamed answer, read as fast as they are taken. Ends when the server ends it or the signal aborts;
 * throws a ServiceError when it breaks, UNAVAILABLE when it was silent for too long. Has no deadline.
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
