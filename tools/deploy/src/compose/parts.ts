import { DATA_FOLDER, NODE, PORTS, USER_ID, SECRETS_FOLDER, TLS_FOLDER } from '../locations';
import type { Deployed } from '../deployed';
import type { SecretFile } from '../variables';

export interface MountedFile {
  readonly source: string;
  /** Relative to the Compose file's folder. */
  readonly file: string;
  readonly target: string;
}

const SECRETS = 'secrets';
const CERTIFICATES = 'certificates';

/** Secrets of stores and the edge, which none of our processes reads. */
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

export function secretOfService(service: string, { name }: Pick<SecretFile, 'name'>): MountedFile {
  return ownFile(service, name);
}

export function certificateOf({ name }: Pick<Deployed, 'name'>): readonly MountedFile[] {
  return [
    { source: `${name}-certificate`, file: `${CERTIFICATES}/${name}.crt`, target: `${TLS_FOLDER}/tls.crt` },
    { source: `${name}-key`, file: `${CERTIFICATES}/${name}.key`, target: `${TLS_FOLDER}/tls.key` },
    { source: 'authority', file: `${CERTIFICATES}/ca.crt`, target: `${TLS_FOLDER}/ca.crt` },
  ];
}

export const kept = {
  restart: 'unless-stopped',
  logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } },
};

export const confined = {
  user: `${USER_ID}:${USER_ID}`,
  read_only: true,
  tmpfs: ['/tmp'],
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  pids_limit: 256,
};

export const SHARED = {
  archive: `${DATA_FOLDER}/archive`,
  exports: `${DATA_FOLDER}/exports`,
  outbox: `${DATA_FOLDER}/outbox`,
  cache: `${DATA_FOLDER}/cache`,
};

/** Network of only the gateway and HAProxy. */
export const EDGE = '10.89.1.0/24';

/** Network of our processes and stores. */
export const INSIDE = '10.89.2.0/24';

/** Settings for one small server; the operator's take precedence. */
const SETTINGS: Readonly<Record<string, string>> = {
  FEED: 'hyperliquid',
  LOG_LEVEL: 'info',
  ARCHIVE_URL: SHARED.archive,
  EXPORT_URL: SHARED.exports,
  OUTBOX_DIR: SHARED.outbox,
  // HAProxy forwards its callers' addresses.
  TRUSTED_PROXIES: EDGE,
};

const DEMANDED = ['PUBLIC_BASE_URL'];

const ASK = `fetch('http://127.0.0.1:${PORTS.ops}/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))`;

export function healthcheck(test: readonly string[]) {
  return { test, interval: '5s', timeout: '3s', retries: 3, start_period: '60s' };
}

export const askReadiness = healthcheck(['CMD', NODE, '-e', ASK]);

export function mounted(files: readonly MountedFile[]) {
  return files.map(({ source, target }) => ({ source, target }));
}

export function settingOf(name: string): string {
  if (DEMANDED.includes(name)) return `\${${name}:?must be set, in .env next to this file}`;
  return `\${${name}:-${SETTINGS[name] ?? ''}}`;
}
