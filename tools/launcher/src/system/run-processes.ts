import { join } from 'node:path';
import { freePort } from '../free-port';
import { openProcessLog } from '../process/process-log';
import type { Registry } from '../process/registry';
import { supervise, systemClock, type ProcessEvent, type SupervisedProcess } from '../process/supervise';
import type { ProcessDefinition } from '../services';
import { environmentOf, type EnvironmentContext, type ProcessPorts } from './environment';
import { servedSymbols } from './feeds';

const quietMs = 10_000;
const reported = new Set<unknown>(['error', 'fatal']);

interface LogLine {
  level?: unknown;
  msg?: unknown;
  err?: { message?: unknown };
  faults?: unknown;
}

/**
 * Prints the errors in a process's JSON log: one line each, the same one at most every 10 s.
 * @param now monotonic milliseconds
 */
export function createErrorSummary(name: string, say: (line: string) => void, now: () => number): (line: string) => void {
  const saidAt = new Map<string, number>();
  return (line) => {
    const text = errorIn(line);
    if (text === undefined) return;
    const at = now();
    if (at - (saidAt.get(text) ?? -Infinity) < quietMs) return;
    saidAt.set(text, at);
    say(`${name}: ${text}`);
  };
}

function errorIn(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { level, msg, err, faults } = JSON.parse(line) as LogLine;
    if (!reported.has(level)) return undefined;
    return [msg, err?.message, faultsIn(faults)].filter((part) => typeof part === 'string' && part !== '').join(': ');
  } catch {
    return undefined;
  }
}

function faultsIn(faults: unknown): string {
  if (!Array.isArray(faults)) return '';
  return (faults as readonly Partial<Record<'variable' | 'message', unknown>>[])
    .map(({ variable, message }) => `${String(variable)}: ${String(message)}`)
    .join('; ');
}

/** Longer than the 25 s after which a process forces its own exit. */
const stopTimeoutMs = 30_000;

/** V8's semi-spaces, in MiB: of a busy process one for each symbol, within these bounds. */
const SEMI_SPACE_MIB = { others: 2, busyMin: 8, busyMax: 32 };

/**
 * Without limits V8 lets each process grow into memory needed only briefly for priming. The largest has about 100 MiB
 * of live objects. Every process has few cores to itself: a collector's helper threads cost more than they save, and the
 * program waits for those that get no core. The windows of all symbols close together: with 50, labeling takes a third
 * less CPU with a semi-space of 32 MiB than of 8. With this limit V8 collects the old space whenever heap and
 * buffers have grown by a third: half of the gateway's CPU while it serves large answers.
 */
function heapLimits({ isBusy, isPublic }: ProcessDefinition, symbolTotal: number): readonly string[] {
  const { others, busyMin, busyMax } = SEMI_SPACE_MIB;
  const semiSpace = isBusy === true ? Math.min(busyMax, Math.max(busyMin, symbolTotal)) : others;
  const growth = isPublic === true ? ['--heap-growing-percent=100'] : [];
  return [`--max-semi-space-size=${semiSpace}`, '--max-old-space-size=384', '--single-threaded-gc', ...growth];
}

/** Where cores are short, about a third of the CPU share of a process at the default. */
const BACKGROUND_NICENESS = 5;

interface RunContext extends EnvironmentContext {
  registry: Registry;
  runs?: readonly string[];
  /** Number of shards by process name; default 1. */
  shards?: Readonly<Record<string, number>>;
  /** Number of identical processes by definition name; default 1. */
  replicas?: Readonly<Record<string, number>>;
  publicPort: number;
  scriptOf: (definition: ProcessDefinition) => string;
  say: (line: string) => void;
  onRefused: (name: string) => void;
}

export interface RunningProcesses {
  /** The second process of a definition is `<name>-2`, and so on. */
  readonly names: readonly string[];
  portsOf(name: string): ProcessPorts;
  process(name: string): SupervisedProcess;
  /**
   * Starts one more process of a definition's first shard on its own ports, which other processes do not learn. Stops
   * with the others.
   */
  startAnother(name: string): Promise<ProcessPorts & { readonly name: string }>;
  /** Signals the current process, not its successors. @returns its pid @throws Error if it is not running */
  signal(name: string, signal: NodeJS.Signals): number;
  stop(): Promise<void>;
  kill(): void;
}

interface Instance {
  readonly name: string;
  readonly definition: ProcessDefinition;
  readonly settings: NodeJS.ProcessEnv;
}

const NOT_IN_SHARDS: NodeJS.ProcessEnv = { SHARDS_FILE: '' };

function instancesOf(definition: ProcessDefinition, { shards = {}, replicas = {} }: Pick<RunContext, 'shards' | 'replicas'>): Instance[] {
  const [shardTotal, replicaTotal] = [shards[definition.name] ?? 1, replicas[definition.name] ?? 1];
  if (shardTotal > 1 && replicaTotal > 1) throw new Error(`${definition.name} can have shards or replicas, not both.`);
  return Array.from({ length: Math.max(shardTotal, replicaTotal) }, (_, index) => ({
    name: nameOf(definition, index + 1),
    definition,
    settings: shardTotal === 1 ? NOT_IN_SHARDS : { SHARD_COUNT: String(shardTotal), SHARD_INDEX: String(index) },
  }));
}

function nameOf({ name }: ProcessDefinition, number: number): string {
  return number === 1 ? name : `${name}-${number}`;
}

export async function runProcesses(defined: readonly ProcessDefinition[], context: RunContext): Promise<RunningProcesses> {
  const all = defined.flatMap((definition) => instancesOf(definition, context));
  const ports = await choosePorts(all, context.publicPort);
  const addresses = addressesOf(all, ports);
  const instances = all.filter(({ definition }) => context.runs?.includes(definition.name) ?? true);
  const symbolTotal = servedSymbols(context.settings).length;
  const running = new Map<string, SupervisedProcess>();
  const others = new Map<string, number>();
  const started: { readonly stopStage: number; readonly supervised: SupervisedProcess }[] = [];
  for (const instance of instances) running.set(instance.name, start(instance, portsOf(instance.name)));

  function start({ name, definition, settings }: Instance, own: ProcessPorts): SupervisedProcess {
    const log = openProcessLog(join(context.dataDir, 'logs', `${name}.log`));
    const summarise = createErrorSummary(name, context.say, systemClock.now);
    const onEvent = (event: ProcessEvent): void => {
      if (event.kind === 'started') {
        context.registry.put(name, event.pid, { ports: { ...own }, opsUrl: `http://127.0.0.1:${own.ops}` });
      } else if (event.kind === 'output') summarise(event.line);
      else if (event.kind === 'stopped' || event.kind === 'refused') context.registry.remove(name);
      else context.say(`${name} exited (${event.cause}); restarting in ${event.restartInMs} ms.`);
      if (event.kind === 'refused') context.onRefused(name);
    };
    const supervised = supervise(
      {
        name,
        command: process.execPath,
        args: [...heapLimits(definition, symbolTotal), context.scriptOf(definition)],
        env: environmentOf(definition, new Map([...ports, [definition.name, own]]), addresses, {
          ...context,
          settings: { ...context.settings, ...settings },
        }),
        cwd: context.dataDir,
        niceness: definition.isBackground === true ? BACKGROUND_NICENESS : undefined,
        stopSignal: 'SIGTERM',
        stopTimeoutMs,
      },
      log,
      onEvent,
    );
    started.push({ stopStage: definition.stopStage, supervised });
    return supervised;
  }

  function portsOf(name: string): ProcessPorts {
    const own = ports.get(name);
    if (own === undefined) throw new Error(`There is no process named ${name}.`);
    return own;
  }

  function processOf(name: string): SupervisedProcess {
    const found = running.get(name);
    if (found === undefined) throw new Error(`There is no process named ${name}.`);
    return found;
  }

  return {
    names: instances.map(({ name }) => name),
    portsOf,
    process: processOf,
    signal(name, signal) {
      const { pid } = processOf(name);
      if (pid === undefined) throw new Error(`${name} is not running.`);
      process.kill(pid, signal);
      return pid;
    },
    async startAnother(name) {
      const definition = defined.find((each) => each.name === name);
      if (definition === undefined) throw new Error(`There is no process named ${name}.`);
      const own = await drawPorts(definition, freePort);
      const known = instancesOf(definition, context);
      const number = (others.get(name) ?? known.length) + 1;
      others.set(name, number);
      const [first] = known;
      const another = { name: nameOf(definition, number), definition, settings: first?.settings ?? {} };
      running.set(another.name, start(another, own));
      return { ...own, name: another.name };
    },
    async stop() {
      const stages = [...new Set(started.map(({ stopStage }) => stopStage))].sort((one, other) => one - other);
      for (const stage of stages) {
        const together = started.filter(({ stopStage }) => stopStage === stage);
        await Promise.all(together.map(({ supervised }) => supervised.stop()));
      }
    },
    kill() {
      for (const { supervised } of started) supervised.kill();
    },
  };
}

async function choosePorts(instances: readonly Instance[], publicPort: number): Promise<Map<string, ProcessPorts>> {
  const taken = new Set<number>();
  const draw = async (): Promise<number> => {
    const port = await freePort();
    if (taken.has(port)) return draw();
    taken.add(port);
    return port;
  };
  const ports = new Map<string, ProcessPorts>();
  for (const { name, definition } of instances) {
    const own = await drawPorts(definition, draw);
    ports.set(name, own.public === undefined || publicPort === 0 ? own : { ...own, public: publicPort });
  }
  return ports;
}

async function drawPorts({ addressVariable, isPublic }: ProcessDefinition, draw: () => Promise<number>): Promise<ProcessPorts> {
  return {
    ops: await draw(),
    ...(addressVariable === undefined ? {} : { grpc: await draw() }),
    ...(isPublic === true ? { public: await draw() } : {}),
  };
}

function addressesOf(instances: readonly Instance[], ports: ReadonlyMap<string, ProcessPorts>): NodeJS.ProcessEnv {
  const addresses: NodeJS.ProcessEnv = {};
  for (const { name, definition } of instances) {
    const { addressVariable } = definition;
    if (addressVariable === undefined) continue;
    const own = `127.0.0.1:${ports.get(name)?.grpc}`;
    addresses[addressVariable] = addresses[addressVariable] === undefined ? own : `${addresses[addressVariable]},${own}`;
  }
  return addresses;
}
