import type { StartSettings } from './start-settings';
import { openDiscoveredTable } from './system/discovered-table';
import { serveNewTable } from './system/serve-new-table';
import { startSystem, type System, type SystemOptions } from './system/start-system';
import { watchLiveness, watchReadiness } from './system/readiness';

export interface Running {
  readonly system: System;
  readonly settings: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  readonly startedAt: number;
}

const parentWatchMs = 500;
/** The terminal and the parent process both pass on a Ctrl-C: two signals within this time count as one. */
const sameSignalMs = 1_000;

export function runSystem(
  read: (say: (line: string) => void) => Promise<StartSettings & Pick<SystemOptions, 'runs'>>,
  onReady: (running: Running) => Promise<void>,
): void {
  // Files are readable only by their user.
  process.umask(0o077);
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const startedAt = performance.now() - process.uptime() * 1_000;
  const stopRequested = new AbortController();
  const { signal } = stopRequested;
  let stopRequestedAt = 0;
  let system: System | undefined;

  // Continue even if the reader of our output exits first.
  process.stdout.on('error', () => undefined);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, requestStop);
  // npm and Nx forward signals but die silently of some; then Ctrl-C could no longer stop us.
  if (process.env['npm_lifecycle_event'] !== undefined || process.env['NX_TASK_TARGET_TARGET'] !== undefined) stopWithParent(process.ppid);

  run().catch(fail);

  async function run(): Promise<void> {
    const options = await read(say);
    const table = await openDiscoveredTable(options.settings, options.dataDir, say, options.tableEveryMs);
    const { settings } = table;
    system = await startSystem({ ...options, settings, say, onStep: (step, durationMs) => say(`${step}: ${inSeconds(durationMs)}`) });
    if (signal.aborted) return stop(system);
    const { refused } = system;
    refused.addEventListener('abort', () => void fail(refused.reason));
    refused.throwIfAborted();
    await Promise.all([watchReadiness(system.processes, say, signal), system.serving(signal)]);
    const liveness = watchLiveness(system.processes, say);
    signal.addEventListener('abort', () => void liveness.close(), { once: true });
    const { processes } = system;
    const following = table.follow(() => serveNewTable(processes, signal));
    signal.addEventListener('abort', () => void following.close(), { once: true });
    await onReady({ system, settings, say, signal, startedAt });
  }

  async function fail(error: unknown): Promise<void> {
    if (signal.aborted) return;
    stopRequested.abort(error);
    say(error instanceof Error ? error.message : String(error));
    await system?.stop();
    process.exit(1);
  }

  function requestStop(): void {
    if (signal.aborted) {
      if (performance.now() - stopRequestedAt < sameSignalMs) return;
      say('Stopping immediately.');
      void system?.kill().finally(() => process.exit(1));
      return;
    }
    stopRequestedAt = performance.now();
    stopRequested.abort(new Error('A stop was requested.'));
    say('Stopping.');
    if (system !== undefined) void stop(system);
  }

  function stopWithParent(parentPid: number): void {
    const watch = setInterval(() => {
      if (process.ppid === parentPid) return;
      clearInterval(watch);
      if (!signal.aborted) requestStop();
    }, parentWatchMs);
    watch.unref();
  }

  async function stop(running: System): Promise<void> {
    const stopStartedAt = performance.now();
    await running.stop();
    say(`Stopped: ${inSeconds(performance.now() - stopStartedAt)}`);
    process.exit(0);
  }
}

export function inSeconds(durationMs: number): string {
  return `${(durationMs / 1_000).toFixed(1)} s`;
}
