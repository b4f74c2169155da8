import type { ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { cancelled, deadlineExceeded } from '@market-state/errors';
import { type RequestContext, requestIdOr } from '@market-state/logging';

export interface MethodShape {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (value: never) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => unknown;
  readonly responseSerialize: (value: never) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => unknown;
}

/** A generated service definition, for example `marketData.MarketDataServiceService`. */
export type ServiceMethods = Readonly<Record<string, MethodShape>>;

export type RequestOf<M extends MethodShape> = ReturnType<M['requestDeserialize']>;
export type ResponseOf<M extends MethodShape> = ReturnType<M['responseDeserialize']>;

export type UnaryNames<D extends ServiceMethods> = {
  [K in keyof D & string]: D[K]['responseStream'] extends true ? never : K;
}[keyof D & string];

/** `package.Service` */
export function serviceNameOf(path: string): string {
  return path.slice(1, path.lastIndexOf('/'));
}

export type UnaryHandler<Request, Response> = (request: Request, context: CallContext) => Promise<Response>;
export type StreamHandler<Request, Response> = (request: Request, context: CallContext) => AsyncIterable<Response>;

export type ServiceHandlers<D extends ServiceMethods> = {
  readonly [K in keyof D]: D[K]['responseStream'] extends true
    ? StreamHandler<RequestOf<D[K]>, ResponseOf<D[K]>>
    : UnaryHandler<RequestOf<D[K]>, ResponseOf<D[K]>>;
};

type BoundMethod =
  | { readonly kind: 'unary'; readonly method: MethodShape; readonly handler: UnaryHandler<unknown, unknown> }
  | { readonly kind: 'stream'; readonly method: MethodShape; readonly handler: StreamHandler<unknown, unknown> };

export interface BoundService {
  readonly methods: Readonly<Record<string, BoundMethod>>;
}

/**
 * For example `bindService(marketData.MarketDataServiceService, withDeps(deps, { getBook, … }))`. A method with a streamed answer takes an
 * async generator. Handlers throw ServiceErrors; anything else becomes INTERNAL.
 * @param errorOf what a call is refused with, or its stream ends with, of what its handler threw; default the same
 */
export function bindService<D extends ServiceMethods>(
  definition: D,
  handlers: ServiceHandlers<D>,
  errorOf?: (thrown: unknown) => unknown,
): BoundService {
  const methods = Object.entries<MethodShape>(definition).map(([key, method]): [string, BoundMethod] => {
    const handler: unknown = handlers[key];
    return [
      key,
      method.responseStream
        ? { kind: 'stream', method, handler: endingWith(handler as StreamHandler<unknown, unknown>, errorOf) }
        : { kind: 'unary', method, handler: refusing(handler as UnaryHandler<unknown, unknown>, errorOf) },
    ];
  });
  return { methods: Object.fromEntries(methods) };
}

function refusing<Request, Response>(
  handler: UnaryHandler<Request, Response>,
  errorOf: ((thrown: unknown) => unknown) | undefined,
): UnaryHandler<Request, Response> {
  if (errorOf === undefined) return handler;
  return async (request, context) => {
    try {
      return await handler(request, context);
    } catch (thrown) {
      throw errorOf(thrown);
    }
  };
}

function endingWith<Request, Response>(
  handler: StreamHandler<Request, Response>,
  errorOf: ((thrown: unknown) => unknown) | undefined,
): StreamHandler<Request, Response> {
  if (errorOf === undefined) return handler;
  return async function* (request, context) {
    try {
      yield* handler(request, context);
    } catch (thrown) {
      throw errorOf(thrown);
    }
  };
}

type Handler<Deps> = (deps: Deps, ...args: never[]) => unknown;

type Given<H> = {
  readonly [K in keyof H]: H[K] extends (deps: never, ...args: infer Args) => infer Answer ? (...args: Args) => Answer : never;
};

/** Binds the first parameter of `(deps, request, context)`. */
export function withDeps<Deps, H extends Readonly<Record<string, Handler<Deps>>>>(deps: Deps, handlers: H): Given<H> {
  const given = Object.entries(handlers).map(([name, handler]) => [name, (...args: never[]) => handler(deps, ...args)]);
  return Object.fromEntries(given) as Given<H>;
}

export const REQUEST_ID_KEY = 'x-request-id';

export interface CallContext extends RequestContext {
  /** Also aborts when streams end on shutdown. */
  readonly signal: AbortSignal;
}

type ServerCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

interface OpenCall {
  readonly context: CallContext;
  abort(reason: Error): void;
  done(): void;
}

export function firstValue(call: ServerCall, key: string): string | undefined {
  const value = call.metadata.get(key)[0];
  return typeof value === 'string' ? value : undefined;
}

/** Created once: an error with its stack per call costs as much as a small answer. */
const ANSWERED = cancelled();

/** Uses the caller's request id, deadline and cancellation. */
export function openCall(call: ServerCall): OpenCall {
  const controller = new AbortController();
  let isDone = false;
  const deadline = Number(call.getDeadline());
  const deadlineMs = Number.isFinite(deadline) ? deadline : undefined;
  // Also emitted once a call has been answered.
  call.on('cancelled', () => controller.abort(isDone ? ANSWERED : cancelled()));
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
    done() {
      isDone = true;
      clearTimeout(timer);
    },
  };
}
