import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { Metrics } from '@market-state/telemetry';
import { Counter } from 'prom-client';
import { SERVER_LIMITS, type ServerAccess, cutUpgraded } from './matched-server';
import { createProxyCheck } from '../http/request-lifetime';

const OWN_NAME = 'gateway';

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

interface AccessSettings {
  readonly listenHost: string;
  readonly publicBaseUrl?: string;
  /** Additional to loopback, `publicBaseUrl` and `gateway`; default none. */
  readonly publicHosts?: readonly string[];
  readonly trustedProxies?: readonly string[];
}

export function accessOf(
  { publicHosts = [], publicBaseUrl, listenHost, trustedProxies = [] }: AccessSettings,
  { registry }: Metrics,
): ServerAccess {
  const refused = new Counter({
    name: 'connections_refused_total',
    help: 'Connections refused because one address, or all together, had too many open.',
    labelNames: ['reason'],
    registers: [registry],
  });
  return {
    publicHosts: [
      OWN_NAME,
      ...publicHosts,
      ...(publicBaseUrl === undefined ? [] : [new URL(publicBaseUrl).hostname]),
      ...(EVERY_ADDRESS.has(listenHost) ? [] : [isIPv6(listenHost) ? `[${listenHost}]` : listenHost]),
    ],
    isProxy: createProxyCheck(trustedProxies),
    onRefused: (reason) => refused.inc({ reason }),
  };
}

/** A connection that overflows the backlog waits for its peer's retransmission, sometimes half a minute. */
export async function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  server.listen({ port, host, backlog: SERVER_LIMITS.connectionsMax });
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

/** Connections still open after `forceAfterMs` are cut. */
export function closeServer(server: Server, forceAfterMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = (): void => {
      server.closeAllConnections();
      cutUpgraded(server);
    };
    const force = setTimeout(cut, Math.max(0, forceAfterMs));
    server.close((error) => {
      clearTimeout(force);
      if (error === undefined) resolve();
      else reject(error);
    });
    server.closeIdleConnections();
  });
}
