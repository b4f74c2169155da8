import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostNameOf, isLoopbackHost, isPrivateHost } from '@market-state/config';
import type { Registry } from 'prom-client';

/** Progress of a symbol's history that is being filled from a recording. Until then its data is not current. */
export interface FillingProgress {
  readonly symbol: string;
  readonly from_utc: string;
  /** Newest moment filled. */
  readonly reached_utc: string;
  /** Part of the time from `from_utc` to now, 0 to 1. */
  readonly filled_share: number;
}

/** @param nowMs wall clock in milliseconds */
export function fillingProgress(
  { symbol, fromMs, reachedMs }: { readonly symbol: string; readonly fromMs: number; readonly reachedMs: number },
  nowMs: number,
): FillingProgress {
  const share = nowMs <= fromMs ? 1 : (reachedMs - fromMs) / (nowMs - fromMs);
  return {
    symbol,
    from_utc: new Date(fromMs).toISOString(),
    reached_utc: new Date(reachedMs).toISOString(),
    filled_share: Math.round(Math.min(1, Math.max(0, share)) * 1_000) / 1_000,
  };
}

export interface Readiness {
  readonly ready: boolean;
  /** True if available. */
  readonly checks?: Readonly<Record<string, boolean>>;
  readonly reasons?: Readonly<Record<string, string>>;
  /** Stable codes of conditions that need an operator's attention. */
  readonly warnings?: readonly string[];
  /** Absent if no history is being filled. */
  readonly filling?: readonly FillingProgress[];
}

export interface OpsServerOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** Default loopback. */
  readonly host?: string | undefined;
  readonly registry: Registry;
  readonly ready: () => Readiness | Promise<Readiness>;
  readonly live?: () => boolean;
}

export interface OpsServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` (Prometheus text), `/livez` and `/readyz` (JSON; 200 or 503) over HTTP. Answers 421 unless Host is
 * a loopback name or, when listening elsewhere, an IP address or a private name, which prevents DNS rebinding.
 */
export async function startOpsServer(options: OpsServerOptions): Promise<OpsServer> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch(() => send(response, 500, 'application/json', '{"ready":false}'));
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;
  server.listen(options.port, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(options: OpsServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const host = hostNameOf(request.headers.host ?? '');
  const isOwn = isLoopbackHost(options.host ?? 'localhost') ? isLoopbackHost : isPrivateHost;
  if (host === undefined || !isOwn(host)) return send(response, 421, 'application/json', '{}');
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'application/json', '{}');
  switch (request.url?.split('?')[0]) {
    case '/metrics':
      return send(response, 200, options.registry.contentType, await options.registry.metrics());
    case '/livez': {
      const live = options.live?.() ?? true;
      return send(response, live ? 200 : 503, 'application/json', JSON.stringify({ live }));
    }
    case '/readyz': {
      const readiness = await options.ready();
      return send(response, readiness.ready ? 200 : 503, 'application/json', JSON.stringify(readiness));
    }
    default:
      return send(response, 404, 'application/json', '{}');
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(body);
}
