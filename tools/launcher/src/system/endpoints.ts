import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessDefinition } from './definitions';
import type { RunningProcesses } from './run-processes';

/** `endpoints.json`: where a running system is reached, by the name of each service. */
export type Endpoints = Readonly<Record<string, string>>;

/** The file that tells the endpoints of the system on a data folder; there is none while nothing is up. */
function endpointsFile(dataDir: string): string {
  return join(dataDir, 'endpoints.json');
}

/** `gateway` as a URL; every process that others call as `host:port`, named as in the variable that tells its address. */
export function endpointsOf(
  definitions: readonly ProcessDefinition[],
  processes: Pick<RunningProcesses, 'portsOf'>,
  url: string,
): Endpoints {
  const called = definitions.flatMap(({ name, addressVariable }): [string, string][] =>
    addressVariable === undefined ? [] : [[nameOf(addressVariable), `127.0.0.1:${processes.portsOf(name).grpc}`]],
  );
  return { gateway: url, ...Object.fromEntries(called) };
}

/** Writes the file whole, for its owner alone. */
export function writeEndpoints(dataDir: string, endpoints: Endpoints): void {
  const file = endpointsFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeEndpoints(dataDir: string): void {
  rmSync(endpointsFile(dataDir), { force: true });
}

function nameOf(addressVariable: string): string {
  return addressVariable.replace(/_ADDRESS$/, '').toLowerCase();
}
