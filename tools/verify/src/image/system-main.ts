import { execFileSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { chownSync, mkdirSync, statSync, readFileSync } from 'node:fs';
import { images, USER_ID } from '@market-state/deploy';
import { freePort, openProcessLog, supervise, waitForOk, workspaceRoot, userProgramFile } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import { withCloser, openFolder, callOnce, waitUntil } from '@market-state/testing';
import type { SystemMessage } from './image-suite';
import { startComposeServer, type ComposeServer } from '../compose/compose-server';
import { Report } from '../harness';
import { bubble, unpackedImage, runCommand } from './bubble';
import { type ComposeFile, type Machine, mountsOf, OURS, serviceOf, type ServiceProcess, variablesHere } from '../compose/plain-process';
import { judgeContents } from './judge-contents';

const TENANT = 'A reader of images';
const SYMBOL = 'BTCUSD-PERP';
const LATEST = `/api/public/market-state/latest?symbol=${SYMBOL}`;
const JOBS = '/api/public/data/export/jobs';
const COMMAND_MS = 30_000;
const WAIT_MS = 60_000;

async function useProduct({ machine, ask }: ComposeServer, report: Report): Promise<void> {
  const operate = (...args: readonly string[]): Promise<string> => runOperator(machine.folder, machine.portOf('account', '7000'), args);
  await operate('tenants', 'create', TENANT, '--plan', 'public_pro');
  const key = (await operate('keys', 'issue', TENANT, '--name', 'images', '--scopes', 'read,export')).trim();
  const headers = { 'x-market-state-api-key': key };

  const packet = await waitUntil(
    'a packet through the gateway',
    async () => /"packet_id":"([^"]+)"/.exec((await ask(LATEST, headers)).text)?.[1],
    WAIT_MS,
  );
  report.figure("a packet read through the gateway's image", packet);
  for (const path of ['/', '/docs', '/openapi.json']) {
    const { status } = await ask(path);
    report.check(status === 200, `${path} answers ${status}.`);
  }
  const release = JSON.parse((await ask('/api/public/market-state/status/release', headers)).text) as Release;
  const { release_state: state, differing_parts: differing } = release;
  report.check(state === 'ready', `The release is ${state}, with differing parts: ${JSON.stringify(differing)}.`);

  const gateway = `http://127.0.0.1:${machine.portOf('gateway', '8080')}`;
  const order = { dataset: 'trades', symbols: [SYMBOL] };
  const taken = await callOnce(gateway + JOBS, { key, method: 'POST', body: order, headers: { 'idempotency-key': 'images' } });
  const { job_id: job } = JSON.parse(taken?.text ?? '{}') as { readonly job_id?: string };
  if (job === undefined) return report.fail(`An export answered ${taken?.status}: ${taken?.text}`);
  const rows = await waitUntil('the file of an export', () => rowsOf(ask, `${JOBS}/${job}`, headers), WAIT_MS);
  report.figure("rows of trades in a Parquet file written by the worker's image", rows);
}

interface Release {
  readonly release_state: string;
  readonly differing_parts: readonly object[];
}

async function rowsOf(ask: ComposeServer['ask'], path: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const { status, row_total: rows } = JSON.parse((await ask(path, headers)).text) as {
    readonly status: string;
    readonly row_total: number;
  };
  return status === 'ready' ? rows : undefined;
}

function runOperator(folder: string, port: number, args: readonly string[]): Promise<string> {
  const certificate = (name: string): string => join(folder, 'certificates', name);
  const env = {
    ACCOUNT_ADDRESS: `127.0.0.1:${port}`,
    TLS_CERT_FILE: certificate('operator.crt'),
    TLS_KEY_FILE: certificate('operator.key'),
    TLS_CA_FILE: certificate('ca.crt'),
  };
  return runCommand(process.execPath, [userProgramFile(), ...args], { env, timeoutMs: COMMAND_MS });
}

const PROBE_MS = 60_000;

interface Found {
  readonly uid: number;
  readonly gid: number;
  readonly capabilities: string;
  readonly shells: readonly string[];
  readonly writes: Readonly<Record<string, string>>;
  readonly loaded: Readonly<Record<string, boolean>>;
}

/** Checks an image from the inside: user, writable paths, and loadable dependencies. */
async function probe(report: Report, folder: string, app: string): Promise<void> {
  const image = unpackedImage(folder, app);
  const loads = loadsOf(app);
  const { command, args, env, uid, gid } = bubble(image, ['-e', readHere('tools/verify/src/image/inside.cjs'), JSON.stringify(loads)]);
  const found = JSON.parse(await runCommand(command, args, { env, uid, gid, timeoutMs: PROBE_MS })) as Found;
  const strange = Object.entries(found.writes).filter(([path, code]) => code !== (path.startsWith('/tmp/') ? 'written' : 'EROFS'));
  report.check(strange.length === 0, `${app}: more than /tmp is writable: ${JSON.stringify(found.writes)}.`);
  report.check(found.uid === USER_ID && found.gid === USER_ID, `${app} runs as ${found.uid}:${found.gid}.`);
  report.check(/^0+$/.test(found.capabilities), `${app} has capabilities: ${found.capabilities}.`);
  report.check(found.shells.length === 0, `${app} contains ${found.shells.join(', ')}.`);
  const broken = Object.entries(found.loaded).filter(([, works]) => !works);
  report.check(broken.length === 0, `${app} cannot load ${broken.map(([name]) => name).join(', ')}.`);
  report.fail(...judgeContents(app, image, loads));
}

/** Dependencies loaded at run time instead of bundled. */
function loadsOf(app: string): readonly string[] {
  return (
    (JSON.parse(readHere('deploy/images/contents.json')) as Readonly<Record<string, { readonly loads?: readonly string[] }>>)[app]?.loads ??
    []
  );
}

function readHere(path: string): string {
  return readFileSync(join(workspaceRoot(), path), 'utf8');
}

/**
 * A Compose service run from its image, with this machine's ports. A new volume gets the owner of its folder in the
 * image, as in a container engine.
 * @param images folder of unpacked images
 */
function imageProcess(images: string, file: ComposeFile, name: string, machine: Machine): ServiceProcess {
  const service = serviceOf(file, name);
  const image = unpackedImage(images, OURS.exec(service.image)?.[1] ?? '');
  const { secrets, volumes } = mountsOf(file, service, machine.folder);
  for (const [there, here] of volumes) {
    const { uid, gid } = statSync(join(image.root, there));
    mkdirSync(here, { recursive: true, mode: 0o755 });
    chownSync(here, uid, gid);
  }
  return bubble(image, service.command ?? [], variablesHere(name, service, machine), { readOnly: secrets, writable: volumes });
}

const READY_MS = 30_000;
const STOP_MS = 30_000;

async function verifySystem(closer: Closer, folder: string, say: (line: string) => void): Promise<Report> {
  const report = new Report();
  report.check(Object.keys(networkInterfaces()).join() === 'lo', 'A network other than loopback exists.');
  for (const app of images) await probe(report, folder, app);
  say('each image was checked from inside');

  const server = await startComposeServer(closer, say, (...service) => imageProcess(folder, ...service));
  report.figure('from the first process to /readyz through HAProxy, all from images', `${Math.round(server.readyMs)} ms`);
  for (const name of server.run.names) report.check(await server.run.isReady(name), `${name} is not ready.`);
  report.figure('processes that report ready', server.run.names.length);
  await startVenue(closer, folder);
  report.figure('the simulated venue, which is not in the Compose file', 'also ready');
  await useProduct(server, report);
  return report;
}

/**
 * The simulated venue listens only on loopback, so no manifest includes it. @throws Error if it does not become ready
 */
async function startVenue(closer: Closer, folder: string): Promise<void> {
  const [opsPort, port] = [await freePort(), await freePort()];
  const image = unpackedImage(folder, 'simulated-venue');
  const variables = { OPS_PORT: String(opsPort), SIMULATED_VENUE_ADDRESS: `127.0.0.1:${port}` };
  const { args, ...bubbled } = bubble(image, image.config.Cmd, variables);
  const log = openProcessLog(join(openFolder(closer), 'simulated-venue.log'));
  const settings = {
    ...bubbled,
    args: [...args],
    name: 'simulated-venue',
    cwd: '/',
    stopSignal: 'SIGTERM' as const,
    stopTimeoutMs: STOP_MS,
  };
  const venue = supervise(settings, log, () => undefined);
  closer.add('simulated-venue', () => venue.stop());
  await waitForOk(`http://127.0.0.1:${opsPort}/readyz`, timeLimit(READY_MS));
}

/**
 * A separate program because it has its own network. Its parent's message names the images' folder, and it exits with
 * its parent.
 */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

process.once('message', ({ images }: SystemMessage) => {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  withCloser((closer) => verifySystem(closer, images, say))
    .then((result) => process.send?.(result, () => process.disconnect()))
    .catch((error: Error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    });
});
process.once('disconnect', () => process.exit());
