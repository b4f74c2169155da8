import { programPath } from '@market-state/launcher';

/** Ports of every process, in a network of its own. */
export const PORTS = { rpc: 7_000, ops: 9_000, public: 8_080 } as const;

/** The port at which collectors take traces. */
export const TRACES_PORT = 4_318;

/** Ports of stores. */
export const STORE_PORTS = { postgres: 5_432, redis: 6_379, objects: 443 } as const;

/** Where the files of secrets are, each with the name of the variable that it replaces. */
export const SECRETS_FOLDER = '/run/secrets/market-state';

/** Where the certificate of a process is. */
export const TLS_FOLDER = '/run/secrets/market-state-tls';

/** Where an image has what it holds: programs, packages, the portal. */
export const APP_FOLDER = '/app';

/** The program that runs ours. */
export const NODE = '/nodejs/bin/node';

/** What a process may write, beside /tmp. */
export const DATA_FOLDER = '/data';

/** User and group of every process. */
export const USER_ID = 65_532;

const REGISTRY = 'market-state';

/** Name of an app's image. */
export function imageNameOf(app: string): string {
  return `${REGISTRY}/${app}`;
}

/** An app's image. */
export function imageOf(app: string, release: string): string {
  return `${imageNameOf(app)}:${release}`;
}

/** What the image of an app is started with to run one of its programs. */
export function argumentsOf(program: string, ...more: readonly string[]): readonly string[] {
  return [programPath(program), ...more];
}
