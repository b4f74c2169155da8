import { CALLERS } from '@market-state/contracts';
import { deployed } from './deployed';
import type { ProcessName } from './process-name';

/** One process calls another. */
export interface Arrow {
  readonly caller: ProcessName;
  readonly server: ProcessName;
}

const HEALTH = '/grpc.health.v1.Health/';

/** Every deployed process that may call another's RPCs, as `proto/callers.yaml` says; whom one asks for its health its addresses say. */
export const arrows: readonly Arrow[] = deployed.flatMap(({ name: caller, variables }) => {
  const paths = Object.keys(CALLERS).filter((path) => CALLERS[path]?.some((name) => name === caller));
  const asksHealth = paths.some((path) => path.startsWith(HEALTH));
  const servers = deployed.filter(
    ({ name, definition: { serves, addressVariable } }) =>
      name !== caller &&
      (paths.some((path) => serves !== undefined && path.startsWith(`/${serves}.`)) ||
        (asksHealth && addressVariable !== undefined && variables.addresses.includes(addressVariable))),
  );
  return servers.map(({ name: server }) => ({ caller, server }));
});
