import {
  Server,
  type ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerWritableStream,
  type ServiceDefinition,
  type UntypedServiceImplementation,
  type handleUnaryCall,
} from '@grpc/grpc-js';
import { ServiceError, unavailable, unauthenticated } from '@market-state/errors';
import { delay } from '@market-state/lifecycle';
import { type Logger, withRequestContext } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { extractTrace, insideTrace, openSpan } from '@market-state/tracing';
import { type CallContext, firstValue, openCall, type BoundService, type StreamHandler, type UnaryHandler, serviceNameOf } from './service';
import { endCallSpan, toStatus } from './error-translation';
import { type Health, WHOLE_PROCESS, healthService } from './health';
import type { CallerTable, RpcIdentity } from './identity/identity';
import { KEEPALIVE_ANSWER_MS, KEEPALIVE_MS, KEEPALIVE_MS_MIN, MESSAGE_BYTES_MAX } from './limits';

interface CallGuardDeps {
  readonly identity: RpcIdentity;
  readonly callers: CallerTable;
  readonly logger: Logger;
  readonly metrics?: Metrics;
}

/**
 * Before the message is read: UNAUTHENTICATED if the caller is not proved, PERMISSION_DENIED if it may not call the
 * method.
 */
function createCallGuard({ identity, callers, logger, metrics }: CallGuardDeps): ServerInterceptor {
  const allowed = new Map(Object.entries(callers).map(([path, services]) => [path, new Set(services)]));

  function refusalOf(path: string, caller: string | undefined): ServiceError | undefined {
    if (caller === undefined) return unauthenticated('caller_not_proved', 'The call does not prove which service makes it.');
    if (allowed.get(path)?.has(caller) === true) return undefined;
    return new ServiceError({ code: 'PERMISSION_DENIED', reason: 'caller_not_allowed', sentence: `${caller} may not call this method.` });
  }

  return ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, pass) {
            const caller = identity.callerOf({ metadata, path, certificate: call.getAuthContext().sslPeerCertificate });
            const refusal = refusalOf(path, caller);
            if (refusal === undefined) return pass(metadata);
            logger.warn(
              { method: path, caller: caller ?? null, peer: call.getPeer(), code: refusal.code },
              'call refused before its handler',
            );
            metrics?.grpcServer.observe({ method: path, code: refusal.code }, 0);
            call.sendStatus(toStatus(refusal).status);
          },
        });
      },
    });
}

const FORCE_AFTER_MS = 25_000;

export interface GrpcServerOptions {
  /** `host:port`; port 0 picks any free one. */
  readonly address: string;
  readonly services: readonly BoundService[];
  readonly identity: RpcIdentity;
  /** `CALLERS` of the contracts; must list every served method. */
  readonly callers: CallerTable;
  /** Serving once listening (unless set before), not serving from `close` on. */
  readonly health: Health;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  /** Delay after reporting not serving; default 2,000. */
  readonly shutdownWaitMs?: number;
}

export interface GrpcServer {
  readonly address: string;
  readonly port: number;
  /** Ends streams with UNAVAILABLE, lets unary calls finish, and cuts the rest after 25 s. */
  close(): Promise<void>;
}

/**
 * Handlers receive only calls from proved callers that `callers` allows.
 * @throws {Error} if a served method is missing from `callers`
 */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const { health, identity, callers, logger, metrics, shutdownWaitMs = 2_000 } = options;
  const names = options.services.flatMap(serviceNames);
  const services = [...options.services, healthService(health, names)];
  refuseUnlisted(services, callers);
  const server = new Server({
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
    'grpc.keepalive_time_ms': KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': KEEPALIVE_ANSWER_MS,
    'grpc.keepalive_permit_without_calls': 1,
    'grpc.http2.min_ping_interval_without_data_ms': KEEPALIVE_MS_MIN,
    interceptors: [createCallGuard({ identity, callers, logger, metrics })],
  });
  const stopping = new AbortController();
  const deps: HandlingDeps = { logger, metrics, stopping: stopping.signal };
  for (const service of services) addService(server, service, deps);

  const host = options.address.slice(0, options.address.lastIndexOf(':'));
  const port = await listen(server, options.address, identity.serverCredentials());
  if (health.get(WHOLE_PROCESS) === undefined) health.set(WHOLE_PROCESS, true);

  async function stop(): Promise<void> {
    const startedMs = Date.now();
    health.set(WHOLE_PROCESS, false);
    await delay(shutdownWaitMs);
    stopping.abort();
    await shutDown(server, Math.max(0, startedMs + FORCE_AFTER_MS - Date.now()));
  }

  let closing: Promise<void> | undefined;
  return {
    address: `${host}:${port}`,
    port,
    close() {
      closing ??= stop();
      return closing;
    },
  };
}

function refuseUnlisted(services: readonly BoundService[], callers: CallerTable): void {
  const paths = services.flatMap(({ methods }) => Object.values(methods).map(({ method }) => method.path));
  const unlisted = paths.filter((path) => !Object.hasOwn(callers, path));
  if (unlisted.length > 0) throw new Error(`No callers are listed for ${unlisted.join(', ')}.`);
}

function serviceNames(service: BoundService): string[] {
  const [first] = Object.values(service.methods);
  return first === undefined ? [] : [serviceNameOf(first.method.path)];
}

function addService(server: Server, service: BoundService, deps: HandlingDeps): void {
  const definition: Record<string, unknown> = {};
  const implementation: UntypedServiceImplementation = {};
  for (const [key, bound] of Object.entries(service.methods)) {
    definition[key] = bound.method;
    implementation[key] =
      bound.kind === 'unary' ? serveUnary(bound.method.path, bound.handler, deps) : serveStream(bound.method.path, bound.handler, deps);
  }
  server.addService(definition as ServiceDefinition, implementation);
}

function listen(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
}

function shutDown(server: Server, forceAfterMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const force = setTimeout(() => server.forceShutdown(), forceAfterMs);
    server.tryShutdown((error) => {
      clearTimeout(force);
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

interface HandlingDeps {
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

function serveUnary(path: string, handler: UnaryHandler<unknown, unknown>, deps: HandlingDeps): handleUnaryCall<unknown, unknown> {
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
function serveStream(path: string, handler: StreamHandler<unknown, unknown>, deps: HandlingDeps) {
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
