import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, waitForOk } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import { endProcess, findProgram, openFolder, spawnOwned } from '@market-state/testing';

const READY_MS_MAX = 30_000;

/** Response header with the gateway's name: `gateway-1`, `gateway-2` and so on. */
export const GATEWAY_HEADER = 'x-gateway';

export async function startHaproxy(closer: Closer, file: string, env: NodeJS.ProcessEnv, say: (line: string) => void): Promise<void> {
  const program = await findProgram('haproxy', 'haproxy', say);
  const haproxy = spawnOwned(program, ['-db', '-f', file], { env, stdio: ['ignore', 'ignore', 'inherit'], stopSignal: 'SIGKILL' });
  closer.add('haproxy', () => endProcess(haproxy, 'SIGKILL'));
}

/**
 * HAProxy in front of gateways; sends each call to the next live one.
 * @param ports public ports of the gateways
 * @returns URL for callers
 */
export async function balanceGateways(closer: Closer, ports: readonly number[], say: (line: string) => void): Promise<string> {
  const port = await freePort();
  const file = join(openFolder(closer), 'haproxy.cfg');
  writeFileSync(file, configOf(port, ports));
  await startHaproxy(closer, file, {}, say);
  const url = `http://127.0.0.1:${port}`;
  await waitForOk(`${url}/readyz`, timeLimit(READY_MS_MAX));
  return url;
}

function configOf(port: number, ports: readonly number[]): string {
  return `global
  maxconn 2000
defaults
  mode http
  timeout connect 1s
  timeout client 35s
  timeout server 35s
  option redispatch
frontend public
  bind 127.0.0.1:${port}
  option forwardfor
  http-response set-header ${GATEWAY_HEADER} %s
  default_backend gateways
backend gateways
  balance roundrobin
  # A gateway closes a connection after 5 s of idling, possibly just as a call is sent on it: then another gateway takes the call.
  retry-on conn-failure empty-response
  http-request disable-l7-retry unless METH_GET
  option httpchk
  http-check send meth GET uri /livez hdr Host 127.0.0.1
  default-server check inter 1s fall 2 rise 1
${ports.map((each, at) => `  server gateway-${at + 1} 127.0.0.1:${each}`).join('\n')}
`;
}
