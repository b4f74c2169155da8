import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { makeAuthority, makeServiceCertificate } from '@market-state/certificates';
import { makeSecrets } from '@market-state/deploy';
import { freePort, workspaceRoot } from '@market-state/launcher';
import { delay } from '@market-state/lifecycle';
import { memoryOfTree } from '@market-state/testing';
import { openFolder, type Proof, shuffle } from '../harness';
import { type ComposeRun, runComposeFile } from './compose-run';
import { readComposeFile } from './compose-services';
import type { Machine } from './plain-process';

const READY_MS_MAX = 60_000;
const MEMORY_MIB_MAX = 2_000;
/** "Back within 30 s, nobody helping." */
const HEALED_MS_MAX = 30_000;
const WATCH_MS_MAX = 120_000;
const LOOK_MS = 100;
const ANSWER_MS = 5_000;
const DAY_MS = 86_400_000;

/** What runs on one server by the Compose file, without containers. */
export const composeProof: Proof = {
  id: 'compose',
  claim: 'the settings and the order of the Compose file start the whole product, and whichever process is killed comes back by itself',
  budget: { default: 1, counts: 'kills of each process' },
  async run({ closer, report, random, budget, say }) {
    const folder = openFolder(closer);
    const ports = await drawPorts();
    const hostOf = (service: string, port: number): string => `127.0.0.1:${ports.portOf(service, String(port))}`;
    makeSecrets(folder, { postgres: hostOf('postgres', 5_432), redis: hostOf('redis', 6_379) });
    await makeCertificates(folder);
    const authority = await makeSiteCertificate(folder);
    const site = `https://localhost:${ports.portOf('haproxy', '8443')}`;
    const machine: Machine = {
      folder,
      portOf: ports.portOf,
      // No venue is called: the bundled recording is played, with a minute of history.
      operator: { PUBLIC_BASE_URL: site, FEED: 'recording', FEED_HISTORY_MINUTES: '1', TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'warn' },
    };
    const adminUrl = readFileSync(join(folder, 'secrets', 'postgres', 'ADMIN_DATABASE_URL'), 'utf8').trim();
    const startedAt = performance.now();
    const run = await runComposeFile(closer, readComposeFile(), machine, adminUrl, say);
    const readyMs = await untilReady(site, authority, startedAt);
    say(`ready after ${Math.round(readyMs)} ms`);
    report.figure('from the first process to /readyz through HAProxy', `${Math.round(readyMs)} ms`);
    report.checkTime(readyMs <= READY_MS_MAX, `/readyz was 200 only after ${Math.round(readyMs)} ms.`);

    const times: number[] = [];
    for (const name of shuffle(Array.from({ length: budget }, () => run.names).flat(), random)) {
      const healedMs = await killAndWatch(run, name, async () => (await readinessOf(site, authority)).status);
      say(`${name} killed: whole after ${Math.round(healedMs)} ms`);
      times.push(healedMs);
      report.checkTime(healedMs <= HEALED_MS_MAX, `After ${name} was killed, all was well only after ${Math.round(healedMs)} ms.`);
    }
    report.figure(
      'from a kill until /readyz says again that all is well',
      `at most ${Math.round(Math.max(...times))} ms of ${times.length} kills`,
    );

    const { totalMiB, processes } = memoryOfTree(process.pid);
    for (const { name, mib } of processes) say(`${name}: ${Math.round(mib)} MiB`);
    report.figure('memory of everything, proportional set size', `${Math.round(totalMiB)} MiB`);
    report.check(totalMiB <= MEMORY_MIB_MAX, `Everything takes ${Math.round(totalMiB)} MiB.`);
  },
};

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

/** As an operator makes them, by the command. */
async function makeCertificates(folder: string): Promise<void> {
  const program = join(workspaceRoot(), 'dist', 'market-state.mjs');
  const env = { PATH: process.env['PATH'] };
  await promisify(execFile)(process.execPath, [program, 'certificates', '--out', join(folder, 'certificates')], { env });
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

/** What the site says of its readiness; status 0 where nothing answers. */
function readinessOf(site: string, ca: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve) => {
    const request = get(`${site}/readyz`, { ca, timeout: ANSWER_MS, agent: false }, (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, text: body }),
        (error: Error) => resolve({ status: 0, text: error.message }),
      );
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', (error) => resolve({ status: 0, text: error.message }));
  });
}

async function untilReady(site: string, authority: string, sinceMs: number): Promise<number> {
  for (;;) {
    const { status, text: body } = await readinessOf(site, authority);
    if (status === 200) return performance.now() - sinceMs;
    if (performance.now() - sinceMs > WATCH_MS_MAX) throw new Error(`${site}/readyz was not 200 within ${WATCH_MS_MAX} ms: ${body}`);
    await delay(LOOK_MS);
  }
}

/** Kills a process, waits until it was started again and the site says of all that it is well. */
async function killAndWatch(run: ComposeRun, name: string, status: () => Promise<number>): Promise<number> {
  const before = run.restarts(name);
  const killedAt = performance.now();
  run.kill(name);
  for (;;) {
    const isWell = run.restarts(name) > before && (await run.isReady(name)) && (await status()) === 200;
    const tookMs = performance.now() - killedAt;
    if (isWell) return tookMs;
    if (tookMs > WATCH_MS_MAX) throw new Error(`${name} was killed, and all was not well within ${WATCH_MS_MAX} ms.`);
    await delay(LOOK_MS);
  }
}
