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
import { waitForOk } from './readiness';
import { runProcesses, type RunningProcesses } from './run-processes';

/** `endpoints.json`: where a running system is reached, by the name of each service. */
type Endpoints = Readonly<Record<string, string>>;

/** The file that tells the endpoints of the system on a data folder; there is none while nothing is up. */
function endpointsFile(dataDir: string): string {
  return join(dataDir, 'endpoints.json');
}

/** `gateway` as a URL; every process that others call as `host:port`, named as in the variable that tells its address. */
function endpointsOf(definitions: readonly ProcessDefinition[], processes: Pick<RunningProcesses, 'portsOf'>, url: string): Endpoints {
  const called = definitions.flatMap(({ name, addressVariable }): [string, string][] =>
    addressVariable === undefined ? [] : [[nameOf(addressVariable), `127.0.0.1:${processes.portsOf(name).grpc}`]],
  );
  return { gateway: url, ...Object.fromEntries(called) };
}

/** Writes the file whole, for its owner alone. */
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

/** The file that tells Prometheus where the processes of a data folder have their metrics; there is none while none runs. */
function targetsFile(dataDir: string): string {
  return join(dataDir, 'metrics-targets.json');
}

/** Writes the file whole, in the form of Prometheus's `file_sd_configs`: a target for each process, labelled `process`. */
function writeMetricsTargets(dataDir: string, { names, portsOf }: Pick<RunningProcesses, 'names' | 'portsOf'>): void {
  const targets = names.map((name) => ({ targets: [`127.0.0.1:${portsOf(name).ops}`], labels: { process: name } }));
  const file = targetsFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(targets, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

function removeMetricsTargets(dataDir: string): void {
  rmSync(targetsFile(dataDir), { force: true });
}

/** How to start the system. */
export interface SystemOptions {
  /** Where its data stays. Without it everything is ephemeral: a temporary folder, removed at the stop. */
  dataDir?: string;
  /** The gateway's port; any free one by default. */
  port?: number;
  /** Names of the processes that run; all by default. The others are told where one that does not run would listen. */
  runs?: readonly string[];
  /** How many shards of symbols a process has, by its name, each a process of its own; one by default. */
  shards?: Readonly<Record<string, number>>;
  /** How many processes of the same settings a definition has, by its name; all are told where each of them is. One by default. */
  replicas?: Readonly<Record<string, number>>;
  /** Stores to use instead of private ones. */
  stores?: GivenStores;
  /** Variables for every process, such as FEED, FEED_FILE, FEED_SPEED, FEED_START, SYMBOLS, LOG_LEVEL. */
  settings?: NodeJS.ProcessEnv;
  /** Takes one line for a person to read; nobody by default. */
  say?: (line: string) => void;
  /** Told how long each step of the start took. */
  onStep?: (step: string, durationMs: number) => void;
}

/** A system that runs. */
export interface System {
  /** Base address of the public API. */
  url: string;
  dataDir: string;
  stores: Stores;
  processes: RunningProcesses;
  /**
   * Aborts when a process does not run with its settings; its reason is an Error that names the process. The process itself has said which.
   */
  readonly refused: AbortSignal;
  /**
   * Resolves when /readyz of the gateway (of every process where it does not run) is 200 and `endpoints.json` stands in the data folder.
   * @throws the reason of the signal, or of `refused`, when one aborts first
   */
  ready(signal: AbortSignal): Promise<void>;
  /** A key that opens the API: the one kept in the data folder, or a new one when that does not verify. */
  demoKey(): Promise<string>;
  /** Its services' identities: to call one as another, and to start more of them. */
  readonly rpc: RpcAccess;
  /** Stops everything, gateway first, stores last. */
  stop(): Promise<void>;
  /** Ends everything at once, as a crash would. */
  kill(): Promise<void>;
}

/** Starts the stores, migrates, and starts every process from its bundle under dist/. Resolves before they are ready. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const settings = withAbsolutePaths(options.settings ?? {});
  return launchSystem({ ...options, settings }, definitionsFor(settings), bundleOf);
}

/** As startSystem, for any processes. */
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

  const onRefused = (name: string): void => refusal.abort(new Error(`${name} does not run with these settings.`));

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
    if (ended.length > 0) say(`Ended what an earlier launcher had left running: ${ended.join(', ')}.`);

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
    return {
      url,
      dataDir,
      stores,
      processes,
      refused: refusal.signal,
      async ready(signal) {
        const opsUrls = processes.names.map((name) => `http://127.0.0.1:${processes.portsOf(name).ops}`);
        const asked = gateway === undefined ? opsUrls : [url];
        const limit = AbortSignal.any([signal, refusal.signal]);
        await Promise.all(asked.map((base) => waitForOk(`${base}/readyz`, limit)));
        if (!isEnding) writeEndpoints(dataDir, endpointsOf(definitions, processes, url));
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
  if (!existsSync(file)) throw new Error(`${file} is missing: run \`npx nx run bundle:record\`, which builds every program.`);
  return file;
}
