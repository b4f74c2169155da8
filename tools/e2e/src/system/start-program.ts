import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, programFile, takeTemporaryFolder } from '@market-state/launcher';
import { waitUntil } from '@market-state/testing';
import { type RunningSystem, runningSystem } from './default-system';

/** Ends a start that hangs; not a bound on how long one may take on a busy machine. */
const READY_MS_MAX = 600_000;
/** Stores and feeds of a developer's own shell, which a test must not use. */
const OWN_SETTINGS = { DATABASE_URL: '', MIGRATION_DATABASE_URL: '', REDIS_URL: '', FEED: '', SYMBOLS: '' };
/** Receivers of tests listen on any free port of this machine. */
const ANY_PORT = { WEBHOOK_TEST_TARGETS: 'localhost:*=127.0.0.0/8' };
/** Files in the data folder that exist while a system runs. */
const FILES_OF_A_RUN = ['processes.json', 'endpoints.json', 'metrics-targets.json'];
/** Time in which the last processes end after the program. */
const LEFT_MS_MAX = 30_000;

/** The program of `npm start` in a process of its own. */
export interface StartedProgram {
  readonly system: RunningSystem;
  /** Address of each process's operations port, by the name of the process. */
  readonly opsUrls: ReadonlyMap<string, string>;
  /** Sends what Ctrl-C sends. Resolves with the exit code, and everything of the run that is still there. */
  interrupt(): Promise<{ readonly exitCode: number | null; readonly left: readonly string[] }>;
  /** Ends it and removes its data folder. */
  close(): Promise<void>;
}

/**
 * Starts the system as `npm start` does, on an empty data folder. It ends with this process, however that ends.
 * @throws Error with what the program printed, when it ends or is not ready after ten minutes
 */
export async function startProgram(settings: NodeJS.ProcessEnv): Promise<StartedProgram> {
  const { path: dataDir, remove } = takeTemporaryFolder();
  const place = { DATA_DIR: dataDir, PORT: String(await freePort()), npm_lifecycle_event: 'start' };
  const program = spawn(process.execPath, [programFile('start')], {
    env: { ...process.env, ...OWN_SETTINGS, ...ANY_PORT, ...settings, ...place },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(program, 'exit').then(([code]) => code as number | null);
  let printed = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));

  async function interrupt(): Promise<{ readonly exitCode: number | null; readonly left: readonly string[] }> {
    const processes = processesBelow(program.pid ?? 0);
    program.kill('SIGINT');
    const exitCode = await exited;
    const files = FILES_OF_A_RUN.filter((file) => existsSync(join(dataDir, file)));
    return { exitCode, left: [...files, ...(await thoseThatStay(processes))] };
  }

  async function close(): Promise<void> {
    if (program.exitCode === null && program.signalCode === null) await interrupt();
    remove();
  }

  try {
    await waitUntil('the system is ready', () => program.exitCode !== null || /^Ready: /m.test(printed), READY_MS_MAX);
    if (program.exitCode !== null) throw new Error(`It ended with ${program.exitCode}.`);
    const targets = JSON.parse(readFileSync(join(dataDir, 'metrics-targets.json'), 'utf8')) as readonly {
      readonly targets: readonly string[];
      readonly labels: { readonly process: string };
    }[];
    const opsUrls = new Map(targets.map(({ targets: [address], labels }) => [labels.process, `http://${address}`]));
    return { system: runningSystem(dataDir), opsUrls, interrupt, close };
  } catch (error) {
    await close();
    throw new Error(`The system did not start. It printed:\n${printed}`, { cause: error });
  }
}

/** Every process that a process has started, directly or not: its command line by its pid. */
function processesBelow(pid: number): ReadonlyMap<number, string> {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
  return new Map(children.flatMap((child) => [[child, commandLineOf(child)] as const, ...processesBelow(child)]));
}

/** Empty when the process is gone. */
function commandLineOf(pid: number): string {
  return textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Processes that have not ended a few seconds later: the program's own watcher ends just after it. */
async function thoseThatStay(processes: ReadonlyMap<number, string>): Promise<readonly string[]> {
  const alive = (): string[] =>
    [...processes].flatMap(([pid, command]) => (command !== '' && commandLineOf(pid) === command ? [`${pid} ${command}`] : []));
  await waitUntil('the end of every process', () => alive().length === 0, LEFT_MS_MAX).catch(() => undefined);
  return alive();
}
