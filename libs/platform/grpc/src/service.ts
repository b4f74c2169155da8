import type { CallContext } from './call-context';
import type { MethodShape, RequestOf, ResponseOf, ServiceMethods } from './method-types';

export type UnaryHandler<Request, Response> = (request: Request, context: CallContext) => Promise<Response>;
export type StreamHandler<Request, Response> = (request: Request, context: CallContext) => AsyncIterable<Response>;

/** A handler for each method of a service definition. */
export type ServiceHandlers<D extends ServiceMethods> = {
  readonly [K in keyof D]: D[K]['responseStream'] extends true
    ? StreamHandler<RequestOf<D[K]>, ResponseOf<D[K]>>
    : UnaryHandler<RequestOf<D[K]>, ResponseOf<D[K]>>;
};

export type BoundMethod =
  | { readonly kind: 'unary'; readonly method: MethodShape; readonly handler: UnaryHandler<unknown, unknown> }
  | { readonly kind: 'stream'; readonly method: MethodShape; readonly handler: StreamHandler<unknown, unknown> };

/** A service definition with its handlers, ready for `startGrpcServer`. */
export interface BoundService {
  readonly methods: Readonly<Record<string, BoundMethod>>;
}

/**
 * Binds handlers to a generated definition: `bindService(marketData.MarketDataServiceService, { getBook, … })`. A method
 * with a streamed answer takes an async generator. Handlers throw ServiceErrors; anything else becomes INTERNAL.
 */
export function bindService<D extends ServiceMethods>(definition: D, handlers: ServiceHandlers<D>): BoundService {
  const methods = Object.entries<MethodShape>(definition).map(([key, method]): [string, BoundMethod] => {
    const handler: unknown = handlers[key];
    return [
      key,
      method.responseStream
        ? { kind: 'stream', method, handler: handler as StreamHandler<unknown, unknown> }
        : { kind: 'unary', method, handler: handler as UnaryHandler<unknown, unknown> },
    ];
  });
  return { methods: Object.fromEntries(methods) };
}
