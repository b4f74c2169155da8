import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, programFile, takeTemporaryFolder } from '@market-state/launcher';
import { waitUntil } from '@market-state/testing';
import { type RunningSystem, runningSystem } from './default-system';

/** Ends a hung start; not a bound on busy machines. */
const READY_MS_MAX = 600_000;
/** Clears stores and feeds of a developer's own shell, which a test must not use. */
const OWN_SETTINGS = { DATABASE_URL: '', MIGRATION_DATABASE_URL: '', REDIS_URL: '', FEED: '', SYMBOLS: '' };
/** Receivers of tests listen on any free port of this machine. */
const ANY_PORT = { WEBHOOK_TEST_TARGETS: 'localhost:*=127.0.0.0/8' };
/** Files in the data folder that exist while a system runs. */
const FILES_OF_A_RUN = ['processes.json', 'endpoints.json', 'metrics-targets.json'];
/** Time for the last processes to exit after the program. */
const LEFT_MS_MAX = 30_000;

export interface StartedProgram {
  readonly system: RunningSystem;
  /** Address of each process's operations port. */
  readonly opsUrls: ReadonlyMap<string, string>;
  /** Sends Ctrl-C. Resolves with the exit code and everything left behind. */
  interrupt(): Promise<{ readonly exitCode: number | null; readonly left: readonly string[] }>;
  /** Ends it and removes its data folder. */
  close(): Promise<void>;
}

/**
 * Starts the system like `npm start`, on an empty data folder, and a free port unless `PORT` is set. It ends with this process.
 * @throws Error with the program's output, if it exits or is not ready after ten minutes
 */
export async function startProgram(settings: NodeJS.ProcessEnv): Promise<StartedProgram> {
  const { path: dataDir, remove } = takeTemporaryFolder();
  const place = { DATA_DIR: dataDir, PORT: settings['PORT'] ?? String(await freePort()), npm_lifecycle_event: 'start' };
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
    if (program.exitCode !== null) throw new Error(`It exited with ${program.exitCode}.`);
    const targets = JSON.parse(readFileSync(join(dataDir, 'metrics-targets.json'), 'utf8')) as readonly {
      readonly targets: readonly string[];
      readonly labels: { readonly process: string };
    }[];
    const opsUrls = new Map(targets.map(({ targets: [address], labels }) => [labels.process, `http://${address}`]));
    return { system: runningSystem(dataDir), opsUrls, interrupt, close };
  } catch (error) {
    await close();
    throw new Error(`The system did not start. Output:\n${printed}`, { cause: error });
  }
}

function processesBelow(pid: number): ReadonlyMap<number, string> {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);
  return new Map(children.flatMap((child) => [[child, commandLineOf(child)] as const, ...processesBelow(child)]));
}

/** Empty if the process has ended. */
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

/** Processes still running a few seconds later: the program's own watcher exits just after it. */
async function thoseThatStay(processes: ReadonlyMap<number, string>): Promise<readonly string[]> {
  const alive = (): string[] =>
    [...processes].flatMap(([pid, command]) => (command !== '' && commandLineOf(pid) === command ? [`${pid} ${command}`] : []));
  await waitUntil('the end of every process', () => alive().length === 0, LEFT_MS_MAX).catch(() => undefined);
  return alive();
}
