import { DATA_FOLDER, NODE, PORTS, USER_ID } from '../places';
import type { MountedFile } from './secret-places';

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
