import type { CliIo } from '../io/cli-io';
import { readEndpoints, type Endpoints } from './endpoints';
import { signingKeys, withRunningSystem, type RunningSystem } from './running-system';
import { systemSource } from './system-source';
import type { Keys, VerifyEach } from './verify-each';
import type { VerifySettings } from './verify-settings';

/** Verifies what a running system keeps. Signatures are checked with its own registry of keys, unless a key was given. */
export async function verifySystem(settings: VerifySettings, io: CliIo, given: Keys, verify: VerifyEach): Promise<void> {
  await withRunningSystem(await endpointsOf(settings, io), async (system) => {
    const symbols = settings.symbol === undefined ? await symbolsOf(system.dataPlane, io.signal) : [settings.symbol];
    const keys = given.size > 0 ? given : await signingKeys(system, io.signal);
    for (const symbol of symbols) await verify(await systemSource(system, symbol, settings.span, io.signal), keys);
  });
}

async function endpointsOf({ labeling, dataPlane, dataDir }: VerifySettings, io: CliIo): Promise<Endpoints> {
  if (labeling !== undefined && dataPlane !== undefined) return { labeling, dataPlane };
  return readEndpoints(io.cwd, dataDir ?? io.dataDir);
}

async function symbolsOf(dataPlane: RunningSystem['dataPlane'], signal: AbortSignal): Promise<string[]> {
  const { instruments } = await dataPlane.listInstruments({}, { signal });
  return instruments.map(({ symbol }) => symbol).sort();
}
