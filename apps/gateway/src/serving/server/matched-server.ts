import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostNameOf, isLoopbackHost } from '@market-state/config';
import { type ProblemCode, PROBLEMS } from '@market-state/errors';
import express, { type Express } from 'express';
import { Problem, problemBody } from '../errors/problem';
import { addressBlock, plainAddress, type ProxyCheck, requestIdOf } from '../http/request-lifetime';
import { SECURITY_HEADERS, PROBLEM_TYPE, sendProblem } from '../http/send';
import { meetExpectations } from './request-body';

type HostCheck = (authority: string) => boolean;

const ABSOLUTE_TARGET = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;

const MEMO_SIZE = 100;

/** Accepts any or an empty port, and a trailing dot. */
export function createHostCheck(publicHosts: readonly string[]): HostCheck {
  const names = new Set(publicHosts.map((name) => name.toLowerCase()));
  const cache = new Set<string>();
  return (authority) => {
    if (cache.has(authority)) return true;
    const name = hostNameOf(authority);
    if (name === undefined || !(isLoopbackHost(name) || names.has(name))) return false;
    if (cache.size >= MEMO_SIZE) cache.clear();
    cache.add(authority);
    return true;
  };
}

function isHostName(name: string | undefined): boolean {
  return name === 'Host' || name === 'host' || (name?.length === 4 && name.toLowerCase() === 'host');
}

function misdirected(sentence: string): Problem {
  return new Problem('misdirected_request', sentence, { headers: { Connection: 'close' } });
}

/** `headers` would hide a second Host. */
function hostProblem({ rawHeaders, url = '', httpVersion }: IncomingMessage, isOwn: HostCheck): Problem | null {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!isHostName(rawHeaders[at])) continue;
    if (host !== undefined) return misdirected('A request must have exactly one Host header.');
    host = rawHeaders[at + 1];
  }
  if (host === undefined && httpVersion === '1.1')
    return new Problem('malformed_request', 'The Host header is missing.', { headers: { Connection: 'close' } });
  const target = url.startsWith('/') ? undefined : ABSOLUTE_TARGET.exec(url)?.[1];
  if (host !== undefined && isOwn(host) && (target === undefined || isOwn(target))) return null;
  return misdirected('The Host header does not name this service.');
}

/** Prevents DNS rebinding. */
function onlyOwnHosts(isOwn: HostCheck, listener: RequestListener): RequestListener {
  return (req, res) => {
    const problem = hostProblem(req, isOwn);
    if (problem === null) listener(req, res);
    else sendProblem(res, requestIdOf(req), problem);
  };
}

interface ConnectionShare {
  /** IPv6 by /64. */
  readonly perAddressMax: number;
  /** Not limited: they carry many callers. */
  readonly isProxy: ProxyCheck;
  readonly onRefused: (reason: 'address' | 'total') => void;
}

function shareConnections(server: Server, { perAddressMax, isProxy, onRefused }: ConnectionShare): void {
  const open = new Map<string, number>();

  function leave(block: string): void {
    const left = (open.get(block) ?? 1) - 1;
    if (left === 0) open.delete(block);
    else open.set(block, left);
  }

  server.prependListener('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (isProxy(address)) return;
    const block = addressBlock(address);
    const total = (open.get(block) ?? 0) + 1;
    if (total > perAddressMax) {
      socket.destroy();
      onRefused('address');
      return;
    }
    open.set(block, total);
    socket.once('close', () => leave(block));
  });
  server.on('drop', () => onRefused('total'));
}

const STALL_CHECKS = 12;

/**
 * `server.timeout` would restart a timer at every read and write; here only a connection without a byte between two
 * checks gets one.
 */
function endStalled(server: Server, timeoutMs: number): void {
  const bytesOf = new Map<Socket, number>();
  const everyMs = Math.ceil(timeoutMs / STALL_CHECKS);
  server.timeout = 0;
  server.on('connection', (socket: Socket) => {
    bytesOf.set(socket, -1);
    socket.once('close', () => bytesOf.delete(socket));
  });
  const checking = setInterval(() => {
    for (const [socket, before] of bytesOf) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      bytesOf.set(socket, bytes);
      // Between two requests Node's own, shorter timer runs.
      if (bytes === before && (socket.timeout ?? 0) === 0) socket.setTimeout(timeoutMs - everyMs);
    }
  }, everyMs);
  checking.unref();
  server.once('close', () => clearInterval(checking));
}

function brokenRequestCode(error: NodeJS.ErrnoException): ProblemCode {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return 'malformed_request';
}

/** Have their last answer: further input is broken too. */
const refused = new WeakSet<Duplex>();

interface UpgradeRequest extends IncomingMessage {
  /** Set by Node's parser. */
  upgrade?: boolean | null;
}

/** True for a WebSocket handshake. */
export function isUpgrade(req: IncomingMessage): boolean {
  return (req as UpgradeRequest).upgrade === true;
}

/** Requests that offer another protocol, such as h2c, stay with HTTP. */
function isHandshake({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Time to read the last answer, in milliseconds. */
const LINGER_MS = 500;

function endConnection(socket: Duplex, lastBytes: string): void {
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
  socket.end(lastBytes);
}

type Answering = Duplex & { readonly _httpMessage?: ServerResponse | null };

/** Another answer's head is out, so further bytes would be read as part of it. */
function isAnswering(socket: Duplex): boolean {
  return (socket as Answering)._httpMessage?.headersSent === true;
}

/** No longer among the connections that Node's `closeAllConnections` cuts. */
const upgraded = new WeakMap<Server, Set<Duplex>>();

export function cutUpgraded(server: Server): void {
  for (const socket of upgraded.get(server) ?? []) socket.destroy();
}

/** Gives each handshake a response of HTTP, for a refusal. Node no longer watches the connection. */
function serveUpgrades(server: Server, Response: typeof ServerResponse, listener: RequestListener): void {
  const sockets = new Set<Duplex>();
  upgraded.set(server, sockets);
  server.on('upgrade', (req, socket, head) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => socket.destroy());
    // Pipelined behind a request that still waits for its answer.
    if ((socket as Answering)._httpMessage) {
      socket.destroy();
      return;
    }
    if (head.length > 0) socket.unshift(head);
    const res = new Response(req);
    res.shouldKeepAlive = false;
    res.assignSocket(req.socket);
    res.once('finish', () => endConnection(socket, ''));
    listener(req, res);
  });
}

/** Writes to the connection directly and destroys it within a second. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (refused.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  refused.add(socket);
  const code = brokenRequestCode(error);
  const { status, title } = PROBLEMS[code];
  const requestId = randomUUID();
  const body = problemBody(new Problem(code, `${title}.`), requestId);
  const headers = [
    ...SECURITY_HEADERS,
    'Cache-Control',
    'no-store',
    'Content-Type',
    PROBLEM_TYPE,
    'Content-Length',
    String(Buffer.byteLength(body)),
    'X-Request-Id',
    requestId,
    'Connection',
    'close',
  ];
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}\r\n`] : []));
  endConnection(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

export const SERVER_LIMITS = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  connectionsCheckingIntervalMs: 1_000,
  keepAliveTimeoutMs: 5_000,
  headerSizeBytesMax: 16_384,
  requestsPerSocketMax: 1_000,
  /** Without a byte while a request is open; heartbeats are more frequent. */
  stalledTimeoutMs: 60_000,
  connectionsMax: 2_000,
  connectionsPerAddressMax: 200,
} as const;

export type ServerLimits = Readonly<Record<keyof typeof SERVER_LIMITS, number>>;

export interface ServerAccess extends Pick<ConnectionShare, 'isProxy' | 'onRefused'> {
  readonly publicHosts: readonly string[];
}

const LOOPBACK_DOOR: ServerAccess = { publicHosts: [], isProxy: () => false, onRefused: () => undefined };

/** Returns false without touching the request if it does not answer. */
export type AheadOfApp = (req: IncomingMessage, res: ServerResponse) => boolean;

export interface MatchedApp {
  readonly app: Express;
  /** Sets the prototypes that Express would, so that it changes none. */
  createServer(limits?: Partial<ServerLimits>, access?: ServerAccess): Server;
}

/**
 * The server creates requests and responses with Express's prototypes, which makes its `Object.setPrototypeOf` per
 * request a no-op.
 * @param ahead called before the application; default none
 * @param upgrades serves WebSocket handshakes; default none, so that they are requests like any other
 */
export function createMatchedApp(ahead: AheadOfApp = () => false, upgrades: RequestListener | null = null): MatchedApp {
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
    createServer: (limits, access = LOOPBACK_DOOR) =>
      createLimitedServer(
        { IncomingMessage: AppRequest, ServerResponse: AppResponse },
        { listener, upgrades },
        { ...SERVER_LIMITS, ...limits },
        access,
      ),
  };
}

interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** Node sends `Connection: close` with a connection's last answer, but leaves it open. */
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

interface Listeners {
  readonly listener: RequestListener;
  readonly upgrades: RequestListener | null;
}

function createLimitedServer(
  classes: MessageClasses,
  { listener, upgrades }: Listeners,
  limits: ServerLimits,
  access: ServerAccess,
): Server {
  const isOwn = createHostCheck(access.publicHosts);
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
      // Node would answer with a bare 400.
      requireHostHeader: false,
      shouldUpgradeCallback: (req) => upgrades !== null && isHandshake(req),
    },
    served,
  );
  server.maxRequestsPerSocket = limits.requestsPerSocketMax;
  server.maxConnections = limits.connectionsMax;
  endStalled(server, limits.stalledTimeoutMs);
  shareConnections(server, { ...access, perAddressMax: limits.connectionsPerAddressMax });
  meetExpectations(server, served, guarded);
  if (upgrades !== null) serveUpgrades(server, classes.ServerResponse, guarded(upgrades));
  server.on('clientError', refuseBrokenRequest);
  return server;
}
