import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { makeAuthority, makeServiceCertificate } from '@market-state/certificates';
import { makeSecrets, USER_ID } from '@market-state/deploy';
import { freePort, userProgramFile } from '@market-state/launcher';
import { type Closer, delay } from '@market-state/lifecycle';
import { openFolder } from '@market-state/testing';
import { type ComposeRun, type RunOurs, runComposeFile } from './compose-run';
import { readComposeFile, type Machine, plainProcess } from './plain-process';

const WATCH_MS_MAX = 120_000;
const LOOK_MS = 100;
const ANSWER_MS = 5_000;
const DAY_MS = 86_400_000;

export interface SiteAnswer {
  readonly status: number;
  readonly text: string;
}

export interface ComposeServer {
  readonly run: ComposeRun;
  readonly machine: Machine;
  ask(path: string, headers?: Readonly<Record<string, string>>): Promise<SiteAnswer>;
  /** Time from the first process until `/readyz` is 200 through HAProxy. */
  readonly readyMs: number;
}

/**
 * Starts every service of the Compose file on the bundled recording with a minute of history; no venue is called.
 * @param runOurs how to run our own services; default: plain processes
 * @throws Error if it is not ready within two minutes
 */
export async function startComposeServer(
  closer: Closer,
  say: (line: string) => void,
  runOurs: RunOurs = plainProcess,
): Promise<ComposeServer> {
  const folder = openFolder(closer);
  const { portOf } = await drawPorts();
  const hostOf = (service: string, port: number): string => `127.0.0.1:${portOf(service, String(port))}`;
  makeSecrets(folder, { postgres: hostOf('postgres', 5_432), redis: hostOf('redis', 6_379) });
  await makeCertificates(folder);
  const authority = await makeSiteCertificate(folder);
  const site = `https://localhost:${portOf('haproxy', '8443')}`;
  const operator = { PUBLIC_BASE_URL: site, FEED: 'recording', FEED_HISTORY_MINUTES: '1', TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'warn' };
  const machine: Machine = { folder, portOf, operator };
  const adminUrl = readFileSync(join(folder, 'secrets', 'postgres', 'ADMIN_DATABASE_URL'), 'utf8').trim();
  const startedAt = performance.now();
  const run = await runComposeFile(closer, readComposeFile(), machine, adminUrl, runOurs, say);
  const ask: ComposeServer['ask'] = (path, headers = {}) => askSite(`${site}${path}`, authority, headers);
  const readyMs = await untilReady(ask, startedAt);
  say(`ready after ${Math.round(readyMs)} ms`);
  return { run, machine, ask, readyMs };
}

/** Assigns a free port to each port of a service's own network, the same on every call. */
async function drawPorts(): Promise<Pick<Machine, 'portOf'>> {
  const drawn = new Map<string, number>();
  const free = new Set<number>();
  while (free.size < 64) free.add(await freePort());
  const [...left] = free;
  return {
    portOf(service, port) {
      const known = drawn.get(`${service}:${port}`);
      if (known !== undefined) return known;
      const next = left.pop();
      if (next === undefined) throw new Error('More ports are needed than were reserved.');
      drawn.set(`${service}:${port}`, next);
      return next;
    },
  };
}

/** Made with the command, as an operator does, for the containers' user. */
async function makeCertificates(folder: string): Promise<void> {
  const program = userProgramFile();
  const env = { PATH: process.env['PATH'] };
  const made = join(folder, 'certificates');
  await promisify(execFile)(process.execPath, [program, 'certificates', '--out', made], { env });
  if (process.getuid?.() !== 0) return;
  for (const file of readdirSync(made)) chownSync(join(made, file), USER_ID, USER_ID);
  // The container engine reads them as root; here the current user reads them.
  const secrets = join(folder, 'secrets');
  for (const passed of [made, secrets, ...readdirSync(secrets).map((name) => join(secrets, name))]) chmodSync(passed, 0o711);
}

/** @returns the signing authority's certificate */
async function makeSiteCertificate(folder: string): Promise<string> {
  const validity = { fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS };
  const authority = await makeAuthority('Compose', validity);
  const { certificate, key } = await makeServiceCertificate(authority, { name: 'localhost', ...validity });
  mkdirSync(join(folder, 'secrets', 'haproxy'), { recursive: true });
  writeFileSync(join(folder, 'secrets', 'haproxy', 'CERTIFICATE'), certificate + key, { mode: 0o600 });
  return authority.certificate;
}

function askSite(url: string, ca: string, headers: Readonly<Record<string, string>>): Promise<SiteAnswer> {
  return new Promise((resolve) => {
    const request = get(url, { ca, headers, timeout: ANSWER_MS, agent: false }, (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, text: body }),
        (error: Error) => resolve({ status: 0, text: error.message }),
      );
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', (error) => resolve({ status: 0, text: error.message }));
  });
}

async function untilReady(ask: ComposeServer['ask'], sinceMs: number): Promise<number> {
  for (;;) {
    const { status, text: body } = await ask('/readyz');
    if (status === 200) return performance.now() - sinceMs;
    if (performance.now() - sinceMs > WATCH_MS_MAX) throw new Error(`/readyz was not 200 within ${WATCH_MS_MAX} ms: ${body}`);
    await delay(LOOK_MS);
  }
}
