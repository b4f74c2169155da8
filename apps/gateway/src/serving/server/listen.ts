import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import type { Metrics } from '@market-state/telemetry';
import { Counter } from 'prom-client';
import { SERVER_LIMITS, type ServerDoor } from './matched-server';
import { createProxyCheck } from '../http/client-address';

/** The name that processes beside this one know it by. */
const OWN_NAME = 'gateway';

/** Addresses to listen at that are none to be reached at. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The gateway's settings that say what it is reached by. */
interface DoorSettings {
  readonly listenHost: string;
  readonly publicBaseUrl?: string;
  /** Names that a request may give in Host, beside those of loopback, of `publicBaseUrl` and `gateway`; default none. */
  readonly publicHosts?: readonly string[];
  /** Addresses of proxies, single or with their length of prefix; default none. */
  readonly trustedProxies?: readonly string[];
}

/** Which hosts the public server answers for, and whom it takes for a proxy. */
export function doorOf(
  { publicHosts = [], publicBaseUrl, listenHost, trustedProxies = [] }: DoorSettings,
  { registry }: Metrics,
): ServerDoor {
  const refused = new Counter({
    name: 'connections_refused_total',
    help: 'Connections refused: of one address, or in all, too many were open.',
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

/**
 * Takes connections from now on. While the event loop is busy the kernel holds as many new ones as may be open at once, or
 * `net.core.somaxconn` where that is less: one that finds no room there is let in once its peer has sent its packets often enough, half a
 * minute later at times.
 */
export async function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  server.listen({ port, host, backlog: SERVER_LIMITS.connectionsMax });
  await once(server, 'listening');
  return server.address() as AddressInfo;
}

/** Stops accepting calls and resolves when the last one has ended; connections still open after `forceAfterMs` are cut off. */
export function closeServer(server: Server, forceAfterMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const force = setTimeout(() => server.closeAllConnections(), Math.max(0, forceAfterMs));
    server.close((error) => {
      clearTimeout(force);
      if (error === undefined) resolve();
      else reject(error);
    });
    server.closeIdleConnections();
  });
}
