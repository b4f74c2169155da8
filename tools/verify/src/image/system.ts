import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { images } from '@market-state/deploy';
import { freePort, openProcessLog, supervise, waitForOk } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import { startComposeServer } from '../compose/compose-server';
import { openFolder } from '@market-state/testing';
import { Report } from '../harness';
import { bubble, unpackedImage } from './bubble';
import { imageProcess } from './image-process';
import { probe } from './probe';
import { useProduct } from './use-product';

const READY_MS = 30_000;
const STOP_MS = 30_000;

/** Starts the whole product out of unpacked images, on a machine whose network is loopback alone, and reads a packet. */
export async function verifySystem(closer: Closer, folder: string, say: (line: string) => void): Promise<Report> {
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
  await useProduct(server, report);
  return report;
}

/** The simulated venue is on loopback alone, and so in no manifest. @throws Error when it does not get ready */
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
