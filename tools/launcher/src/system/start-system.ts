import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { migrate } from '../migrations/migrate';
import { lockDataDir } from '../process/data-dir-lock';
import { openRegistry } from '../process/registry';
import { openRpcAccess, type RpcAccess } from '../rpc-access';
import { launchStores, type GivenStores, type Stores } from '../stores/start-stores';
import { takeTemporaryFolder } from '../temporary-folder';
import { programFile } from '../workspace-root';
import { isTriedOut, keepDemoCertificates } from './demo-certificates';
import { obtainKey } from './demo-key';
import { definitionsFor, type ProcessDefinition } from '../services';
import { withAbsolutePaths } from './environment';
import { waitForHistory, waitForOk } from './readiness';
import { runProcesses, type RunningProcesses } from './run-processes';

/** `endpoints.json`: addresses of a running system by service name. */
type Endpoints = Readonly<Record<string, string>>;

function endpointsFile(dataDir: string): string {
  return join(dataDir, 'endpoints.json');
}

/** `gateway` as a URL; other processes as `host:port`, named after their address variable. */
function endpointsOf(definitions: readonly ProcessDefinition[], processes: Pick<RunningProcesses, 'portsOf'>, url: string): Endpoints {
  const called = definitions.flatMap(({ name, addressVariable }): [string, string][] =>
    addressVariable === undefined ? [] : [[nameOf(addressVariable), `127.0.0.1:${processes.portsOf(name).grpc}`]],
  );
  return { gateway: url, ...Object.fromEntries(called) };
}

function writeEndpoints(dataDir: string, endpoints: Endpoints): void {
  const file = endpointsFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(endpoints, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function removeEndpoints(dataDir: string): void {
  rmSync(endpointsFile(dataDir), { force: true });
}

function nameOf(addressVariable: string): string {
  return addressVariable.replace(/_ADDRESS$/, '').toLowerCase();
}

function targetsFile(dataDir: string): string {
  return join(dataDir, 'metrics-targets.json');
}

/** In the format of Prometheus's `file_sd_configs`, written atomically. */
function writeMetricsTargets(dataDir: string, { names, portsOf }: Pick<RunningProcesses, 'names' | 'portsOf'>): void {
  const targets = names.map((name) => ({ targets: [`127.0.0.1:${portsOf(name).ops}`], labels: { process: name } }));
  const file = targetsFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(targets, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

function removeMetricsTargets(dataDir: string): void {
  rmSync(targetsFile(dataDir), { force: true });
}

export interface SystemOptions {
  /** Default: a temporary folder, removed on stop. */
  dataDir?: string;
  /** Port of the gateway; default: any free one. */
  port?: number;
  /** Default: all. Others still get addresses, at which nothing listens. */
  runs?: readonly string[];
  shards?: Readonly<Record<string, number>>;
  /** Number by definition name; default 1. */
  replicas?: Readonly<Record<string, number>>;
  stores?: GivenStores;
  /** For every process. */
  settings?: NodeJS.ProcessEnv;
  say?: (line: string) => void;
  onStep?: (step: string, durationMs: number) => void;
}

export interface System {
  url: string;
  dataDir: string;
  stores: Stores;
  processes: RunningProcesses;
  /**
   * Aborts when a process rejects its settings; the reason names the process, which has reported the settings itself.
   */
  readonly refused: AbortSignal;
  /**
   * Resolves when the gateway's /readyz (or every process's, without a gateway) is 200 and `endpoints.json` exists. The
   * history of recordings may still be being filled.
   * @throws the reason of the signal, or of `refused`, if one aborts first
   */
  serving(signal: AbortSignal): Promise<void>;
  /** Resolves when it is serving and the history is complete. @throws like `serving` */
  ready(signal: AbortSignal): Promise<void>;
  demoKey(): Promise<string>;
  readonly rpc: RpcAccess;
  /** Stops everything, gateway first, stores last. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** Resolves before the processes are ready. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const settings = withAbsolutePaths(options.settings ?? {});
  return launchSystem({ ...options, settings }, definitionsFor(settings), bundleOf);
}

/** Like startSystem, for any processes. */
export async function launchSystem(
  options: SystemOptions,
  definitions: readonly ProcessDefinition[],
  scriptOf: (definition: ProcessDefinition) => string,
): Promise<System> {
  const { port = 0, settings = {}, say = () => undefined, onStep = () => undefined } = options;
  const undo: (() => void | Promise<void>)[] = [];
  const refusal = new AbortController();
  let isEnding = false;
  const undoAll = async (): Promise<void> => {
    isEnding = true;
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  const timed = async <T>(step: string, work: Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await work;
    onStep(step, performance.now() - startedAt);
    return result;
  };

  const onRefused = (name: string): void => refusal.abort(new Error(`${name} rejects these settings.`));

  try {
    const ephemeral = options.dataDir === undefined;
    const folder = ephemeral ? takeTemporaryFolder() : undefined;
    if (folder !== undefined) undo.push(folder.remove);
    const dataDir = folder?.path ?? resolve(options.dataDir as string);
    undo.push(await lockDataDir(dataDir));
    removeEndpoints(dataDir);
    removeMetricsTargets(dataDir);
    const { registry, ended } = await openRegistry(dataDir);
    undo.push(() => registry.close());
    if (ended.length > 0) say(`Ended processes left by an earlier launcher: ${ended.join(', ')}.`);

    const stores = await timed('Postgres and Redis', launchStores({ dataDir, ephemeral, registry, say }, options.stores));
    undo.push(stores.stop);
    await timed('Migrations', migrate(stores.migrationTargets()));

    if (isTriedOut(settings)) await keepDemoCertificates(dataDir, Date.now());
    const rpc = openRpcAccess(dataDir, settings['TLS_DIR'] || undefined);
    const processes = await runProcesses(definitions, {
      rpc,
      dataDir,
      registry,
      stores,
      runs: options.runs,
      shards: options.shards,
      replicas: options.replicas,
      publicPort: port,
      settings,
      scriptOf,
      say,
      onRefused,
    });
    writeMetricsTargets(dataDir, processes);
    undo.push(
      processes.stop,
      () => removeMetricsTargets(dataDir),
      () => removeEndpoints(dataDir),
    );
    const gateway = definitions.find(({ name, isPublic }) => isPublic === true && processes.names.includes(name));
    const url = `http://127.0.0.1:${gateway === undefined ? 0 : processes.portsOf(gateway.name).public}`;
    const opsUrls = processes.names.map((name) => `http://127.0.0.1:${processes.portsOf(name).ops}`);
    const readyPages = (gateway === undefined ? opsUrls : [url]).map((base) => `${base}/readyz`);
    const serving = async (signal: AbortSignal): Promise<void> => {
      const limit = AbortSignal.any([signal, refusal.signal]);
      await Promise.all(readyPages.map((page) => waitForOk(page, limit)));
      if (!isEnding) writeEndpoints(dataDir, endpointsOf(definitions, processes, url));
    };
    return {
      url,
      dataDir,
      stores,
      processes,
      refused: refusal.signal,
      serving,
      async ready(signal) {
        await serving(signal);
        const limit = AbortSignal.any([signal, refusal.signal]);
        await Promise.all(readyPages.map((page) => waitForHistory(page, limit)));
      },
      demoKey: () => obtainKey(`127.0.0.1:${processes.portsOf('account').grpc}`, rpc.identityOf('launcher'), join(dataDir, 'demo-key')),
      rpc,
      stop: undoAll,
      async kill() {
        processes.kill();
        await undoAll();
      },
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
}

function bundleOf({ name }: ProcessDefinition): string {
  const file = programFile(name);
  if (!existsSync(file)) throw new Error(`${file} is missing. To build every program, run \`npx nx run bundle:record\`.`);
  return file;
}
