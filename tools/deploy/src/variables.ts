import { fileVariableOf, type ReadVariables } from '@market-state/config';
import type { ProcessDefinition } from '@market-state/launcher';
import { APP_FOLDER, DATA_FOLDER, PORTS, SECRETS_FOLDER, TLS_FOLDER } from './places';

/** A secret of a process: a file named as it is. */
export interface SecretFile {
  /** Name of the file. */
  readonly name: string;
  /** The variable that says where it is. */
  readonly variable: string;
  /** Whether the process starts without it; the file is then empty. */
  readonly isRequired: boolean;
}

/** What a process is told, by where it comes from. */
export interface Variables {
  /** The same wherever it runs. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly secrets: readonly SecretFile[];
  /** Variables that name the address of another process. */
  readonly addresses: readonly string[];
  /** What the operator may set, in plain text. */
  readonly settings: readonly string[];
}

/** Variables that no deployed process is given, and why. */
export const NOT_GIVEN: Readonly<Record<string, string>> = {
  RPC_TOKEN_FILE: 'tokens are for one machine: production takes certificates',
  WEBHOOK_TEST_TARGETS: 'production refuses it',
  WEBHOOK_TEST_CA_FILE: 'production refuses it',
  STRIPE_API_BASE: 'production refuses it',
  SIMULATED_VENUE_ADDRESS: 'the simulated venue is on loopback alone',
};

/** What every process gets that no configuration of ours reads: of the C library, of Node. */
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

/** Secrets that are files by their nature, and the variable that says where each is. */
const KEY_FILE: SecretFile = { name: 'SIGNING_KEY', variable: 'SIGNING_KEY_FILE', isRequired: true };
/** As Amazon's tools write it; where it is empty their client looks for a role of the machine. */
const BUCKET_FILE: SecretFile = { name: 'AWS_CREDENTIALS', variable: 'AWS_SHARED_CREDENTIALS_FILE', isRequired: false };

/** V8 may use so much of the memory that a process is allowed; the rest is for buffers and code. */
const HEAP_SHARE = 0.7;

/**
 * Where each variable that a process reads comes from. A variable is in one of the parts, or in `NOT_GIVEN`; a server's address is
 * left out where the process has no server.
 * @param memoryMib that the process is allowed
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

/** Where the file of a secret is. */
export function pathOfSecret(name: string): string {
  return `${SECRETS_FOLDER}/${name}`;
}
