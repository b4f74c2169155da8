import type { SymbolSource } from '@market-state/labeler';
import type { CliIo } from '../io/cli-io';
import { operatorIdentity } from '../io/operator-identity';
import { readEndpoints, type Endpoints } from './endpoints';
import { signingKeys, withRunningSystem, type RunningSystem } from './running-system';
import { systemSource } from './system-source';
import type { SystemSettings } from './system-settings';
import type { Keys } from './verify-each';

/** What a running system keeps. */
export interface SystemSources {
  /** The symbol asked for, or each that is served, by name. */
  readonly symbols: AsyncIterable<SymbolSource>;
  /** Its registry of keys. */
  keys(): Promise<Keys>;
}

/** Gives `work` what the running system that the settings name keeps. @throws CliError when it cannot be reached, or refuses */
export async function withSystemSources(
  settings: SystemSettings,
  io: CliIo,
  work: (sources: SystemSources) => Promise<void>,
): Promise<void> {
  const endpoints = await endpointsOf(settings, io);
  const identity = operatorIdentity(io, settings.dataDir, [endpoints.labeling, endpoints.dataPlane]);
  await withRunningSystem(endpoints, identity, (system) =>
    work({ symbols: symbolSources(system, settings, io.signal), keys: () => signingKeys(system, io.signal) }),
  );
}

async function endpointsOf({ labeling, dataPlane, dataDir }: SystemSettings, io: CliIo): Promise<Endpoints> {
  if (labeling !== undefined && dataPlane !== undefined) return { labeling, dataPlane };
  return readEndpoints(io.cwd, dataDir ?? io.dataDir);
}

async function* symbolSources(
  system: RunningSystem,
  { symbol: asked, span }: SystemSettings,
  signal: AbortSignal,
): AsyncGenerator<SymbolSource> {
  const symbols = asked === undefined ? await symbolsOf(system.dataPlane, signal) : [asked];
  for (const symbol of symbols) yield await systemSource(system, symbol, span, signal);
}

async function symbolsOf(dataPlane: RunningSystem['dataPlane'], signal: AbortSignal): Promise<string[]> {
  const { instruments } = await dataPlane.listInstruments({}, { signal });
  return instruments.map(({ symbol }) => symbol).sort();
}
