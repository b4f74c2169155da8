import { programPath } from '@market-state/launcher';

/** The same for every process, because each has its own network. */
export const PORTS = { rpc: 7_000, ops: 9_000, public: 8_080 } as const;

export const TRACES_PORT = 4_318;

export const STORE_PORTS = { postgres: 5_432, redis: 6_379, objects: 443 } as const;

/** Files of secrets, named after the variables they replace. */
export const SECRETS_FOLDER = '/run/secrets/market-state';

export const TLS_FOLDER = '/run/secrets/market-state-tls';

export const APP_FOLDER = '/app';

export const NODE = '/nodejs/bin/node';

export const DATA_FOLDER = '/data';

export const USER_ID = 65_532;

const REGISTRY = 'market-state';

export function imageNameOf(app: string): string {
  return `${REGISTRY}/${app}`;
}

export function imageOf(app: string, release: string): string {
  return `${imageNameOf(app)}:${release}`;
}

export function argumentsOf(program: string, ...more: readonly string[]): readonly string[] {
  return [programPath(program), ...more];
}
