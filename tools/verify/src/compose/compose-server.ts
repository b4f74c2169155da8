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

/** What the site answers; status 0 where nothing does. */
export interface SiteAnswer {
  readonly status: number;
  readonly text: string;
}

/** The server of the Compose file, on this machine. */
export interface ComposeServer {
  readonly run: ComposeRun;
  readonly machine: Machine;
  /** What HAProxy answers at a path, asked with these headers. */
  ask(path: string, headers?: Readonly<Record<string, string>>): Promise<SiteAnswer>;
  /** From the first process until `/readyz` was 200 through HAProxy, milliseconds. */
  readonly readyMs: number;
}

/**
 * Starts all that the Compose file has, on the bundled recording with a minute of history: no venue is called.
 * @param runOurs how services of ours are run; as plain processes unless said otherwise
 * @throws Error when it is not ready within two minutes
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

/** A free port for each port that a service has in its own network, the same whenever it is asked for. */
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
      if (next === undefined) throw new Error('More ports are needed than were drawn.');
      drawn.set(`${service}:${port}`, next);
      return next;
    },
  };
}

/** As an operator makes them, by the command, for the user that containers run as. */
async function makeCertificates(folder: string): Promise<void> {
  const program = userProgramFile();
  const env = { PATH: process.env['PATH'] };
  const made = join(folder, 'certificates');
  await promisify(execFile)(process.execPath, [program, 'certificates', '--out', made], { env });
  if (process.getuid?.() !== 0) return;
  for (const file of readdirSync(made)) chownSync(join(made, file), USER_ID, USER_ID);
  // The engine of containers reads them as root, and so may here whoever runs in its place.
  const secrets = join(folder, 'secrets');
  for (const passed of [made, secrets, ...readdirSync(secrets).map((name) => join(secrets, name))]) chmodSync(passed, 0o711);
}

/** @returns the certificate of the authority that signed it */
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
