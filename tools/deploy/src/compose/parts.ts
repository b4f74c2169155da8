import { DATA_FOLDER, NODE, PORTS, USER_ID, SECRETS_FOLDER, TLS_FOLDER } from '../places';
import type { Deployed } from '../deployed';
import type { SecretFile } from '../variables';

/** A file beside the Compose file, and where a container has it. */
export interface MountedFile {
  /** Name in the Compose file. */
  readonly source: string;
  /** Path from the folder of the Compose file. */
  readonly file: string;
  /** Path in the container. */
  readonly target: string;
}

/** Folders beside the Compose file. */
const SECRETS = 'secrets';
const CERTIFICATES = 'certificates';

/** The secrets of stores and the edge, which no process of ours reads. */
export const OWN_SECRETS = {
  postgresPassword: ownFile('postgres', 'PASSWORD'),
  redisUsers: ownFile('redis', 'USERS'),
  siteCertificate: ownFile('haproxy', 'CERTIFICATE'),
  administrator: ownFile('postgres', 'ADMIN_DATABASE_URL'),
} as const;

function ownFile(owner: string, name: string): MountedFile {
  return { source: sourceOf(owner, name), file: `${SECRETS}/${owner}/${name}`, target: `${SECRETS_FOLDER}/${name}` };
}

function sourceOf(owner: string, name: string): string {
  return `${owner}-${name.toLowerCase().replaceAll('_', '-')}`;
}

/** A secret of a service. */
export function secretOfService(service: string, { name }: Pick<SecretFile, 'name'>): MountedFile {
  return ownFile(service, name);
}

/** The certificate of a process, as `market-state certificates` writes it. */
export function certificateOf({ name }: Pick<Deployed, 'name'>): readonly MountedFile[] {
  return [
    { source: `${name}-certificate`, file: `${CERTIFICATES}/${name}.crt`, target: `${TLS_FOLDER}/tls.crt` },
    { source: `${name}-key`, file: `${CERTIFICATES}/${name}.key`, target: `${TLS_FOLDER}/tls.key` },
    { source: 'authority', file: `${CERTIFICATES}/ca.crt`, target: `${TLS_FOLDER}/ca.crt` },
  ];
}

/** What a container does when its program ends, and how much of what that writes is kept. */
export const kept = {
  restart: 'unless-stopped',
  logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
};

/** What no container of ours may do. */
export const confined = {
  user: `${USER_ID}:${USER_ID}`,
  read_only: true,
  tmpfs: ['/tmp'],
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  pids_limit: 256,
};

/** Folders that processes share, each a volume. */
export const SHARED = {
  archive: `${DATA_FOLDER}/archive`,
  exports: `${DATA_FOLDER}/exports`,
  outbox: `${DATA_FOLDER}/outbox`,
  cache: `${DATA_FOLDER}/cache`,
};

/** The network that the gateway shares with HAProxy alone. */
export const EDGE = '10.89.1.0/24';

/** The network of our processes among themselves, and of their stores. */
export const INSIDE = '10.89.2.0/24';

/** Settings for one small server; those of the operator come before them. */
const SETTINGS: Readonly<Record<string, string>> = {
  FEED: 'hyperliquid',
  LOG_LEVEL: 'info',
  ARCHIVE_URL: SHARED.archive,
  EXPORT_URL: SHARED.exports,
  OUTBOX_DIR: SHARED.outbox,
  // HAProxy passes on the addresses of its callers.
  TRUSTED_PROXIES: EDGE,
};

/** Settings that the operator must make. */
const DEMANDED = ['PUBLIC_BASE_URL'];

/** A program of Node in the image asks the process whether it is ready. */
const ASK = `fetch('http://127.0.0.1:${PORTS.ops}/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))`;

/** When a container counts as healthy. */
export function healthcheck(test: readonly string[]) {
  return { test, interval: '5s', timeout: '3s', retries: 3, start_period: '60s' };
}

export const askReadiness = healthcheck(['CMD', NODE, '-e', ASK]);

/** Secrets as a service of the file names them. */
export function mounted(files: readonly MountedFile[]) {
  return files.map(({ source, target }) => ({ source, target }));
}

/** A setting, taken from the operator's environment or the file `.env`. */
export function settingOf(name: string): string {
  if (DEMANDED.includes(name)) return `\${${name}:?must be set, in .env beside this file}`;
  return `\${${name}:-${SETTINGS[name] ?? ''}}`;
}
