import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { images } from '@market-state/deploy';
import { openIdentity } from '@market-state/grpc';
import { freePort } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { comesTrue } from '@market-state/testing';
import { type ComposeServer, startComposeServer } from '../compose/compose-server';
import { openOffice, Report } from '../harness';
import { runProgram } from '../monitoring/run-program';
import { bubble, unpackedImage } from './bubble';
import { imageProcess } from './image-process';
import { probe } from './probe';

const SYMBOL = 'BTCUSD-PERP';
const PACKET_MS = 60_000;
const EVERY_MS = 500;
const ANSWER_MS = 3_000;

/** Starts the whole product out of unpacked images, on a machine whose network is loopback alone, and reads a packet. */
export async function proveSystem(closer: Closer, folder: string, say: (line: string) => void): Promise<Report> {
  const report = new Report();
  report.check(Object.keys(networkInterfaces()).join() === 'lo', 'There is another network than loopback.');
  for (const app of images) await probe(report, folder, app);
  say('each image was looked at from inside');

  const server = await startComposeServer(closer, say, (...service) => imageProcess(folder, ...service));
  report.figure('from the first process to /readyz through HAProxy, all out of images', `${Math.round(server.readyMs)} ms`);
  for (const name of server.run.names) report.check(await server.run.isReady(name), `${name} is not ready.`);
  report.figure('processes that say that they are ready', server.run.names.length);
  await startVenue(closer, folder);
  report.figure('the simulated venue, which the Compose file does not have', 'ready too');
  await readThroughGateway(closer, server, report);
  return report;
}

/** The simulated venue is on loopback alone, and so in no manifest. @throws Error when it is not ready */
async function startVenue(closer: Closer, folder: string): Promise<void> {
  const [opsPort, port] = [await freePort(), await freePort()];
  const variables = { OPS_PORT: String(opsPort), SIMULATED_VENUE_ADDRESS: `127.0.0.1:${port}` };
  const image = unpackedImage(folder, 'simulated-venue');
  const { command, ...plan } = bubble(image, image.config.Cmd, variables);
  const isReady = async (): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined);
    return answer?.status === 200;
  };
  await runProgram(closer, 'simulated-venue', { file: command, ...plan, isReady });
}

/** A packet, read with a key, and what needs none. */
async function readThroughGateway(closer: Closer, { machine, ask }: ComposeServer, report: Report): Promise<void> {
  const certificates = (name: string): string => join(machine.folder, 'certificates', name);
  const settings = {
    kind: 'certificates' as const,
    certificateFile: certificates('operator.crt'),
    keyFile: certificates('operator.key'),
    authorityFile: certificates('ca.crt'),
  };
  const identity = openIdentity('operator', settings, { logger: silentLogger() });
  closer.add('identity', () => identity.close());
  const office = openOffice(closer, `127.0.0.1:${machine.portOf('account', '7000')}`, identity);
  const { key } = await office.tenant('a reader of images', 'public_pro');
  const read = (): ReturnType<ComposeServer['ask']> => ask(`/api/public/market-state/latest?symbol=${SYMBOL}`, { 'X-API-Key': key });
  await comesTrue(async () => (await read()).status === 200, { limitMs: PACKET_MS, everyMs: EVERY_MS });
  const { status, text } = await read();
  report.check(status === 200, `latest answers ${status}: ${text.slice(0, 300)}`);
  report.figure('a packet through the image of the gateway', String(JSON.parse(text).packet_id));
  for (const path of ['/', '/docs', '/openapi.json']) {
    const page = await ask(path);
    report.check(page.status === 200, `${path} answers ${page.status}.`);
  }
  const release = JSON.parse((await ask('/api/public/market-state/status/release', { 'X-API-Key': key })).text);
  report.check(release.release_state === 'ready', `The release is ${release.release_state}: ${JSON.stringify(release.differing_parts)}`);
}
