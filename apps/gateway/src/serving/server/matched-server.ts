import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server } from 'node:http';
import express, { type Express } from 'express';
import { refuseBrokenRequest } from './broken-request';
import { type ConnectionShare, shareConnections } from './connection-share';
import { meetExpectations } from './expectations';
import { createHostCheck, onlyOwnHosts } from './own-hosts';

/** Limits on connections and headers. */
export const SERVER_LIMITS = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  connectionsCheckingIntervalMs: 1_000,
  keepAliveTimeoutMs: 5_000,
  headerSizeBytesMax: 16_384,
  requestsPerSocketMax: 1_000,
  /** Longest time in which a connection moves no byte while a request is on it; streams send a heartbeat more often. */
  stalledTimeoutMs: 60_000,
  connectionsMax: 2_000,
  connectionsPerAddressMax: 200,
} as const;

export type ServerLimits = Readonly<Record<keyof typeof SERVER_LIMITS, number>>;

/** Who may come, and by which names. */
export interface ServerDoor extends Pick<ConnectionShare, 'isProxy' | 'onRefused'> {
  /** Names of this service beside those of loopback. */
  readonly publicHosts: readonly string[];
}

/** Loopback alone, and no proxies. */
const LOOPBACK_DOOR: ServerDoor = { publicHosts: [], isProxy: () => false, onRefused: () => undefined };

/** Answers a request, or leaves it alone and says false. */
export type AheadOfApp = (req: IncomingMessage, res: ServerResponse) => boolean;

export interface MatchedApp {
  readonly app: Express;
  /** Requests and responses are made with the very prototypes that Express would give them, so that it changes none. */
  createServer(limits?: Partial<ServerLimits>, door?: ServerDoor): Server;
}

/**
 * An Express application and a way to serve it in which `Object.setPrototypeOf` on each request changes nothing: the
 * server creates requests and responses whose prototypes are already `app.request` and `app.response`.
 * @param ahead is asked before the application; default nothing is
 */
export function createMatchedApp(ahead: AheadOfApp = () => false): MatchedApp {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(AppRequest.prototype, express.request);
  Object.setPrototypeOf(AppResponse.prototype, express.response);

  const app = express();
  Object.defineProperty(AppRequest.prototype, 'app', { configurable: true, writable: true, value: app });
  Object.defineProperty(AppResponse.prototype, 'app', { configurable: true, writable: true, value: app });
  app.request = AppRequest.prototype as unknown as typeof app.request;
  app.response = AppResponse.prototype as unknown as typeof app.response;

  const listener: RequestListener = (req, res) => {
    if (!ahead(req, res)) app(req, res);
  };

  return {
    app,
    createServer: (limits, door = LOOPBACK_DOOR) =>
      createLimitedServer({ IncomingMessage: AppRequest, ServerResponse: AppResponse }, listener, { ...SERVER_LIMITS, ...limits }, door),
  };
}

interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * With the last answer that a connection may have Node says `Connection: close`, and leaves it open. Once the server no longer listens
 * every answer is its connection's last.
 */
function endingFully(listener: RequestListener, isListening: () => boolean): RequestListener {
  return (req, res) => {
    if (
      !isListening() ||
      (res as ServerResponse & { readonly maxRequestsOnConnectionReached?: boolean }).maxRequestsOnConnectionReached === true
    )
      res.shouldKeepAlive = false;
    listener(req, res);
  };
}

function createLimitedServer(classes: MessageClasses, listener: RequestListener, limits: ServerLimits, door: ServerDoor): Server {
  const isOwn = createHostCheck(door.publicHosts);
  const guarded = (inner: RequestListener): RequestListener => onlyOwnHosts(isOwn, inner);
  const served = guarded(endingFully(listener, () => server.listening));
  const server: Server = createServer(
    {
      ...classes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.connectionsCheckingIntervalMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.headerSizeBytesMax,
      // Node would answer a request without Host by a bare 400.
      requireHostHeader: false,
    },
    served,
  );
  server.maxRequestsPerSocket = limits.requestsPerSocketMax;
  server.maxConnections = limits.connectionsMax;
  server.timeout = limits.stalledTimeoutMs;
  shareConnections(server, { ...door, perAddressMax: limits.connectionsPerAddressMax });
  meetExpectations(server, served, guarded);
  server.on('clientError', refuseBrokenRequest);
  return server;
}
