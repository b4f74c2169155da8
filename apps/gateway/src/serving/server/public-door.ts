import { isIPv6 } from 'node:net';
import type { Metrics } from '@market-state/telemetry';
import { Counter } from 'prom-client';
import { createProxyCheck } from '../http/client-address';
import type { ServerDoor } from './matched-server';

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
