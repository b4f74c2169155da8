import { spawn, type ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { CONFIG_EXIT_CODE } from '@market-state/lifecycle';
import { groupEnd, signalGroup } from './registry';
import type { ProcessLog } from './process-log';
import { processGuard } from './process-guard';

interface Backoff {
  /**
   * Milliseconds until the next start: 250 after the first crash, doubling to at most 10,000 while runs are short, and
   * 250 again after a run of at least 2,000.
   */
  next(ranMs: number): number;
}

const firstMs = 250;
const longestMs = 10_000;
const steadyMs = 2_000;

function createBackoff(): Backoff {
  let nextMs = firstMs;
  return {
    next(ranMs) {
      if (ranMs >= steadyMs) nextMs = firstMs;
      const waitMs = nextMs;
      nextMs = Math.min(longestMs, nextMs * 2);
      return waitMs;
    },
  };
}

export interface ProcessSpec {
  name: string;
  command: string;
  args: string[];
  /** Complete environment; nothing is inherited. */
  env: NodeJS.ProcessEnv;
  cwd: string;
  uid?: number;
  gid?: number;
  /** Niceness from 0, the default, to 19: how far it yields to other processes where cores are short. */
  niceness?: number;
  stopSignal: NodeJS.Signals;
  stopTimeoutMs: number;
}

export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  after(delayMs: number, callback: () => void): () => void;
}

export type ProcessEvent =
  | { kind: 'started'; pid: number }
  | { kind: 'output'; line: string }
  | { kind: 'crashed'; cause: string; restartInMs: number; lastLines: string[] }
  | { kind: 'refused' }
  | { kind: 'stopped' };

export interface SupervisedProcess {
  readonly name: string;
  readonly pid: number | undefined;
  readonly restarts: number;
  stop(): Promise<void>;
  kill(): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

const lastLinesMax = 20;

/** Runs a process in its own group until it is stopped or rejects its configuration (`CONFIG_EXIT_CODE`). */
export function supervise(
  spec: ProcessSpec,
  log: ProcessLog,
  onEvent: (event: ProcessEvent) => void,
  clock: Clock = systemClock,
): SupervisedProcess {
  const backoff = createBackoff();
  let child: ChildProcess | undefined;
  let cancelRestart: (() => void) | undefined;
  let stopping = false;
  let restarts = 0;
  let whenEnded: Promise<void> = Promise.resolve();

  function start(): void {
    const startedAt = clock.now();
    const lastLines: string[] = [];
    const { uid, gid, command, args, env, cwd } = spec;
    const started = spawn(command, args, { env, cwd, uid, gid, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    if (started.pid !== undefined) {
      processGuard().own(started.pid, spec.stopSignal);
      if (spec.niceness !== undefined) setPriority(started.pid, spec.niceness);
    }
    for (const stream of [started.stdout, started.stderr]) {
      readLines(
        stream,
        (chunk) => log.write(chunk),
        (line) => {
          lastLines.push(line);
          if (lastLines.length > lastLinesMax) lastLines.shift();
          onEvent({ kind: 'output', line });
        },
      );
    }
    whenEnded = new Promise((resolve) => {
      const ended = (cause: string, isRefusal = false): void => {
        child = undefined;
        if (started.pid !== undefined) processGuard().disown(started.pid);
        resolve();
        if (stopping) {
          log.close();
          onEvent({ kind: 'stopped' });
          return;
        }
        if (isRefusal) {
          onEvent({ kind: 'refused' });
          return;
        }
        const restartInMs = backoff.next(clock.now() - startedAt);
        cancelRestart = clock.after(restartInMs, () => {
          cancelRestart = undefined;
          restarts += 1;
          start();
        });
        onEvent({ kind: 'crashed', cause, restartInMs, lastLines });
      };
      started.once('error', (error) => {
        if (started.pid === undefined) ended(error.message);
      });
      started.once('exit', () => {
        // Processes that it started and left would keep its pipes open.
        if (started.pid !== undefined) signalGroup(started.pid, 'SIGKILL');
      });
      started.once('close', (code, signal) => ended(signal === null ? `exit code ${code}` : signal, code === CONFIG_EXIT_CODE));
    });
    if (started.pid !== undefined) onEvent({ kind: 'started', pid: started.pid });
  }

  start();

  return {
    name: spec.name,
    get pid() {
      return child?.pid;
    },
    get restarts() {
      return restarts;
    },
    async stop() {
      stopping = true;
      cancelRestart?.();
      const running = child;
      if (running?.pid !== undefined) {
        running.kill(spec.stopSignal);
        const cancelKill = clock.after(spec.stopTimeoutMs, () => signalGroup(running.pid as number, 'SIGKILL'));
        await whenEnded;
        await groupEnd(running.pid);
        cancelKill();
      } else {
        await whenEnded;
        log.close();
      }
    },
    kill() {
      stopping = true;
      cancelRestart?.();
      if (child?.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    },
  };
}

function readLines(stream: NodeJS.ReadableStream | null, onChunk: (chunk: Buffer) => void, onLine: (line: string) => void): void {
  let rest = '';
  stream?.on('data', (chunk: Buffer) => {
    onChunk(chunk);
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream?.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}
