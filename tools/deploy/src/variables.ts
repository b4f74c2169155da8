import { fileVariableOf, type ReadVariables } from '@market-state/config';
import type { ProcessDefinition } from '@market-state/launcher';
import { APP_FOLDER, DATA_FOLDER, PORTS, SECRETS_FOLDER, TLS_FOLDER } from './locations';

export interface SecretFile {
  readonly name: string;
  readonly variable: string;
  /** If not required, the file may be empty. */
  readonly isRequired: boolean;
}

export interface Variables {
  readonly fixed: Readonly<Record<string, string>>;
  readonly secrets: readonly SecretFile[];
  readonly addresses: readonly string[];
  readonly settings: readonly string[];
}

/** With the reason. */
export const NOT_GIVEN: Readonly<Record<string, string>> = {
  RPC_TOKEN_FILE: 'tokens are for one machine: production requires certificates',
  WEBHOOK_TEST_TARGETS: 'production refuses it',
  WEBHOOK_TEST_CA_FILE: 'production refuses it',
  STRIPE_API_BASE: 'production refuses it',
  SIMULATED_VENUE_ADDRESS: 'the simulated venue listens only on loopback',
};

/** Variables for the C library and Node, which our configurations do not read. */
const RUNTIME = { TZ: 'UTC', MALLOC_ARENA_MAX: '1' };

const FIXED: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  OPS_HOST: '0.0.0.0',
  OPS_PORT: String(PORTS.ops),
  LISTEN_HOST: '0.0.0.0',
  PORT: String(PORTS.public),
  TLS_CERT_FILE: `${TLS_FOLDER}/tls.crt`,
  TLS_KEY_FILE: `${TLS_FOLDER}/tls.key`,
  TLS_CA_FILE: `${TLS_FOLDER}/ca.crt`,
  S3_CACHE_DIR: `${DATA_FOLDER}/cache`,
  PORTAL_DIR: `${APP_FOLDER}/dist/portal`,
  GATEWAY_URL: `http://gateway:${PORTS.public}`,
  DOCS_DIR: `${APP_FOLDER}/dist/docs`,
};

const KEY_FILE: SecretFile = { name: 'SIGNING_KEY', variable: 'SIGNING_KEY_FILE', isRequired: true };
/** In the format of Amazon's tools; if empty, their client looks for a machine role. */
const BUCKET_FILE: SecretFile = { name: 'AWS_CREDENTIALS', variable: 'AWS_SHARED_CREDENTIALS_FILE', isRequired: false };

/** Heap share of a process's memory limit; the rest is for buffers and code. */
const HEAP_SHARE = 0.7;

/**
 * Assigns each variable of a process to one part, or to `NOT_GIVEN`.
 * @param memoryMib limit of the process
 * @param addressVariables those of all processes
 */
export function variablesOf(
  { addressVariable, usesArchive, usesExports }: Pick<ProcessDefinition, 'addressVariable' | 'usesArchive' | 'usesExports'>,
  { names, secrets: secretNames, required }: ReadVariables,
  memoryMib: number,
  addressVariables: readonly string[],
): Variables {
  const isRead = (name: string): boolean => names.includes(name);
  const opensStore = usesArchive === true || usesExports === true;
  const secrets = [
    ...secretNames.map((name) => ({ name, variable: fileVariableOf(name), isRequired: required.includes(name) })),
    ...(isRead(KEY_FILE.variable) ? [KEY_FILE] : []),
    ...(opensStore ? [BUCKET_FILE] : []),
  ];
  const fixed = {
    ...RUNTIME,
    NODE_OPTIONS: `--max-old-space-size=${Math.floor(memoryMib * HEAP_SHARE)}`,
    ...Object.fromEntries(Object.entries(FIXED).filter(([name]) => isRead(name))),
    ...(addressVariable === undefined ? {} : { GRPC_ADDRESS: `0.0.0.0:${PORTS.rpc}` }),
  };
  const addresses = names.filter((name) => addressVariables.includes(name) && !(name in NOT_GIVEN));
  const known = new Set([
    ...Object.keys(fixed),
    ...Object.keys(NOT_GIVEN),
    ...secretNames,
    ...secrets.map(({ variable }) => variable),
    ...addresses,
    'GRPC_ADDRESS',
  ]);
  return { fixed, secrets, addresses, settings: names.filter((name) => !known.has(name)) };
}

export function pathOfSecret(name: string): string {
  return `${SECRETS_FOLDER}/${name}`;
}
