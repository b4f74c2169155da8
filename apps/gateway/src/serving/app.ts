import type { RequestListener } from 'node:http';
import type { Logger } from '@market-state/logging';
import { type Express, type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import { readHandshake } from '../streams/transport';
import type { AnyHandler } from './answers/handler';
import { Problem } from './errors/problem';
import { requestIdOf } from './http/request-lifetime';
import { type Operation, operations } from './openapi/operations';
import { serveNotFound, serveSites, type ServeSitesDeps } from './pages/serve-sites';
import { sendFailure, type ServeDeps, serveOperation } from './serve-operation';
import { type AheadOfApp, createMatchedApp, type MatchedApp } from './server/matched-server';

export interface AppDeps extends ServeDeps {
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
