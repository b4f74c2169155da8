import { type Logger, type RequestContext, withRequestContext } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { insideTrace } from '@market-state/tracing';
import { type Request, type RequestHandler, type Response, type Express, type NextFunction, Router } from 'express';
import type { RequestListener } from 'node:http';
import { authorise, cookieOf, credentialOf, refuseCrossSite, siteRuleOf } from './auth/authorise';
import type { CredentialDirectory } from './auth/credential-directory';
import {
  announceDeprecation,
  durationsOf,
  onAnswerOver,
  chargeOnDelivery,
  endRequestSpan,
  openRequestSpan,
  requestIdOf,
  type AddressReader,
} from './http/request-lifetime';
import { InvalidRequest, Problem, toProblem } from './errors/problem';
import { readJsonBody, skipBody } from './server/request-body';
import { isUpgrade, type AheadOfApp, createMatchedApp, type MatchedApp } from './server/matched-server';
import { NOT_CACHED, sendFaults, sendProblem, sendRepresentation } from './http/send';
import type { GatewayStatistics } from './gateway-statistics';
import { type Operation, operations } from './openapi/operations';
import { type Idempotency, serveOnce } from './idempotency';
import type { CallLoad, RequestLimits } from './admission';
import type { Meter, OpenCharge } from './metering/meter';
import type { OpenStreams } from '../streams/open-streams';
import { rawQueryOf } from './validation/request-shape';
import type { RequestValidator } from './validation/request-validator';
import type { OpenFiles } from './open-files';
import { type AnyHandler, isFile, isStream } from './answers/handler';
import { notForSandbox } from '../clients/delayed/delayed-services';
import { readHandshake } from '../streams/transport';
import { serveNotFound, serveSites, type ServeSitesDeps } from './serve-sites';

type SandboxChoice = (operation: Operation, handler: AnyHandler) => AnyHandler;

function refuse(): never {
  throw notForSandbox();
}

/** Applies the operation's `x-sandbox`. */
export function sandboxChoice(delayed: ReadonlyMap<string, AnyHandler>): SandboxChoice {
  return ({ servedAs, sandbox }, handler) => {
    switch (sandbox) {
      case 'same':
        return handler;
      case 'delayed':
        return delayed.get(servedAs) ?? refuse;
      case 'refused':
        return refuse;
    }
  };
}

export interface ServeDeps {
  readonly directory: CredentialDirectory;
  readonly validator: RequestValidator;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly figures: Pick<GatewayStatistics, 'answered'>;
  readonly streams: Pick<OpenStreams, 'serve'>;
  readonly files: OpenFiles;
  readonly idempotency: Idempotency;
  readonly limits: Pick<RequestLimits, 'admitNow' | 'admit' | 'countStray'>;
  readonly load: CallLoad;
  readonly meter: Pick<Meter, 'open'>;
  readonly addressOf: AddressReader;
  readonly sandbox: SandboxChoice;
  readonly origins: () => ReadonlySet<string>;
}

/** Created once: an error with its stack per request costs as much as the headers. */
const OVER = new Error('the request is over');

/**
 * Logs our own errors; counts load shedding.
 * @returns the error if it was ours
 */
function sendFailure(
  res: Response,
  requestId: string,
  thrown: unknown,
  logger: Logger,
  further: readonly string[] = [],
): Problem | undefined {
  const problem = toProblem(thrown);
  const fault = problem instanceof Problem && problem.status >= 500 && problem.code !== 'overloaded' ? problem : undefined;
  if (fault !== undefined) logger.error({ code: fault.code, err: fault.cause ?? fault, request_id: requestId }, 'request failed');
  if (res.headersSent) res.destroy();
  else if (problem instanceof InvalidRequest) sendFaults(res, requestId, problem, further);
  else sendProblem(res, requestId, problem, further);
  return fault;
}

/** The same for all callers and at most ten seconds old, so that a cache in front answers most of them. */
const PUBLIC_CACHE = 'public, max-age=10, stale-while-revalidate=30';

function cacheControlOf({ credential, method, tag }: Operation): string {
  return credential === 'none' && method === 'get' && (tag === 'demo' || tag === 'meta') ? PUBLIC_CACHE : NOT_CACHED;
}

/** Credential, scope, origin, rate, body, validation, load, price, then the handler, once per Idempotency-Key. */
function serveOperation(deps: ServeDeps, operation: Operation, handler: AnyHandler): RequestHandler {
  const { directory, validator, logger, metrics, figures, streams, files, idempotency, limits, load, meter, addressOf, origins, sandbox } =
    deps;
  const observe = durationsOf(metrics, operation.path);

  async function answer(req: Request, res: Response, state: RequestState): Promise<void> {
    const { requestId } = state.context;
    load.refuseEarly(operation, req);
    const credential = credentialOf(req.headers, operation);
    if (operation.credential !== 'none' && credential === null) await limits.countStray(req);
    const grant = await authorise({ directory, logger, addressOf }, operation, credential, req);
    refuseCrossSite(siteRuleOf(operation, grant, isUpgrade(req)), req.headers, origins);
    state.pace = (grant === null ? null : limits.admitNow(operation, grant, req)) ?? (await limits.admit(operation, grant, req));
    const bodyBytes = operation.method === 'get' || operation.ignoresBody ? undefined : await readJsonBody(req, res);
    if (operation.ignoresBody) skipBody(req, res);
    const rawQuery = rawQueryOf(req.originalUrl);
    const validation = await validator.validate(operation, {
      rawQuery,
      path: { ...req.params } as Record<string, string>,
      headers: req.headers,
      body: req.body as unknown,
    });
    if (!validation.ok) throw new InvalidRequest(validation.faults, validation.further);
    const { input } = validation;
    const cookie = (name: string): string | undefined => cookieOf(req.headers, name);
    const call = { operation, input, grant, credential, rawQuery, requestId, address: () => addressOf(req), cookie, bodyBytes };
    state.leave = load.enter(operation, input, grant);
    const charge: { open: OpenCharge | null } = { open: null };
    try {
      if (grant !== null) state.context.tenantId = grant.tenantId;
      const reply = await serveOnce(idempotency, call, async (ownTry) => {
        if (grant !== null)
          charge.open = await meter.open({ operation, input, grant, requestId, headers: req.headers, operationId: ownTry?.operationId });
        return (grant?.sandbox === true ? sandbox(operation, handler) : handler)(ownTry === undefined ? call : { ...call, ownTry });
      });
      const headers = state.pace;
      if (isStream(reply)) await streams.serve({ req, res, requestId, operation, charge: charge.open, headers }, reply);
      else if (isFile(reply)) {
        // The work is done, however long sending takes.
        state.leave();
        await files.serve({ req, res, requestId, operation, charge: charge.open, headers }, reply);
        charge.open = null;
      } else {
        const own = reply.headers === undefined ? [] : Object.entries(reply.headers).flat();
        // Disconnected callers are not charged.
        const status = reply.status ?? 200;
        const cacheControl = status === 200 ? cacheControlOf(operation) : NOT_CACHED;
        await sendRepresentation(req, res, requestId, { status, cacheControl }, reply, (sent) => [
          ...own,
          ...headers,
          ...(req.socket.writable ? (charge.open?.settle(reply.observed, sent) ?? []) : []),
        ]);
        if (charge.open !== null) chargeOnDelivery(charge.open, req, res);
        charge.open = null;
      }
    } finally {
      charge.open?.cancel();
      state.leaveIfOver();
    }
  }

  return async (req, res) => {
    const startedMs = performance.now();
    const state = openRequestState(requestIdOf(req));
    announceDeprecation(res, operation.deprecation);
    const span = openRequestSpan({ method: req.method, route: operation.path });
    let fault: Error | undefined;
    onAnswerOver(res, () => {
      state.end();
      endRequestSpan(span, res.statusCode, fault);
      if (operation.method === 'get') figures.answered(operation.rateClass, res.headersSent ? res.statusCode : 0);
      observe(req.method, res.statusCode, startedMs);
    });
    const serve = async (): Promise<void> => {
      try {
        await answer(req, res, state);
      } catch (thrown) {
        const { pace } = state;
        const further = operation.metered && pace.length > 0 ? [...pace, 'X-Credits-Charged', '0'] : pace;
        fault = sendFailure(res, state.context.requestId, thrown, logger, further);
      }
    };
    await insideTrace(span.context, () => withRequestContext(state.context, serve));
  };
}

/** State of one request until its answer is over. */
interface RequestState {
  readonly context: RequestContext & { tenantId?: string };
  /** Rate-limit headers, once admitted. */
  pace: readonly string[];
  /** Ends the call's part of the load; an unsent answer still takes memory. */
  leave: () => void;
  leaveIfOver(): void;
  end(): void;
}

function openRequestState(requestId: string): RequestState {
  let gone: AbortController | undefined;
  let isOver = false;
  return {
    context: {
      requestId,
      // Most requests end without anything that waits.
      get signal() {
        gone ??= new AbortController();
        if (isOver) gone.abort(OVER);
        return gone.signal;
      },
    },
    pace: [],
    leave: () => undefined,
    leaveIfOver() {
      if (isOver) this.leave();
    },
    end() {
      isOver = true;
      gone?.abort(OVER);
      this.leave();
    },
  };
}

interface AppDeps extends ServeDeps {
  readonly handlers: ReadonlyMap<string, AnyHandler>;
  readonly fastPath: AheadOfApp;
  /** Keyed by operation id; run before any request check. */
  readonly probes: ReadonlyMap<string, RequestHandler>;
  readonly pages?: ServeSitesDeps;
}

function expressPath(path: string): string {
  return path.replace(/\{([^}]+)\}/g, ':$1');
}

export function createApp(deps: AppDeps): MatchedApp {
  const matched = createMatchedApp(deps.fastPath, streamUpgrades(deps));
  const { app } = matched;
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('strict routing');
  app.enable('case sensitive routing');

  const byPath = groupByPath(operations);
  for (const [path, ofPath] of byPath) mountPath(app, path, ofPath, deps);
  if (deps.pages !== undefined) app.use(serveSites(deps.pages));
  app.use(async (req, _res, next) => {
    await deps.limits.countStray(req);
    next();
  });
  app.use(serveNotFound(deps.pages));
  app.use(failureHandler(deps.logger));
  return matched;
}

/** Serves streams over WebSocket; any other path is unknown. */
function streamUpgrades(deps: AppDeps): RequestListener {
  const router = Router({ strict: true, caseSensitive: true });
  const refuse = async (req: Request, problem: Problem): Promise<never> => {
    await deps.limits.countStray(req);
    throw problem;
  };
  const handshake: RequestHandler = async (req, _res, next) => {
    const problem = readHandshake(req);
    if (problem !== null) await refuse(req, problem);
    next();
  };
  for (const operation of operations.filter(({ isStream }) => isStream)) {
    const handler = handlerOf(operation, deps);
    if (handler !== undefined) router.get(expressPath(operation.path), handshake, handler);
  }
  router.use((req) => refuse(req, new Problem('not_found', 'There is no stream at this path.')));
  const onFailure = failureHandler(deps.logger);
  return (req, res) =>
    router(req as Request, res as Response, (thrown) => onFailure(thrown, req as Request, res as Response, () => undefined));
}

function groupByPath(all: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const operation of all) groups.set(operation.path, [...(groups.get(operation.path) ?? []), operation]);
  return groups;
}

function mountPath(app: Express, path: string, ofPath: readonly Operation[], deps: AppDeps): void {
  const route = app.route(expressPath(path));
  for (const operation of ofPath) {
    const handler = handlerOf(operation, deps);
    if (handler !== undefined) route[operation.method](handler);
  }
  const allow = ofPath.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ');
  route.all(async (req) => {
    await deps.limits.countStray(req);
    throw new Problem('method_not_allowed', `This path allows ${allow}.`, { headers: { Allow: allow } });
  });
}

/** Undefined in an application with only some handlers. */
function handlerOf(operation: Operation, deps: AppDeps): RequestHandler | undefined {
  const probe = deps.probes.get(operation.operationId);
  if (probe !== undefined) return probe;
  const handler = deps.handlers.get(operation.servedAs);
  return handler === undefined ? undefined : serveOperation(deps, operation, handler);
}

function failureHandler(logger: Logger) {
  return (thrown: unknown, req: Request, res: Response, next: NextFunction): void => {
    void next;
    sendFailure(res, requestIdOf(req), thrown, logger);
  };
}
