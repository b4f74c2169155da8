import type { RunningProcesses } from './run-processes';
import { answersOk, waitForOk } from './readiness';

const reminderMs = 10_000;

/**
 * Tells of each process when it is ready, and every 10 s of those that are not. Resolves when all are.
 * @throws the signal's reason when it aborts first
 */
export async function watchReadiness(processes: RunningProcesses, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const waiting = new Set(processes.names);
  const reminder = setInterval(() => say(`Waiting for ${[...waiting].join(', ')}.`), reminderMs);
  try {
    await Promise.all(
      processes.names.map(async (name) => {
        await waitForOk(readyPage(processes, name), signal);
        waiting.delete(name);
        say(`${name} ready: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
      }),
    );
  } finally {
    clearInterval(reminder);
  }
}

/** Whether a process says of itself that it can do its work now. */
export function isReady(processes: RunningProcesses, name: string): Promise<boolean> {
  return answersOk(readyPage(processes, name));
}

function readyPage(processes: RunningProcesses, name: string): string {
  return `http://127.0.0.1:${processes.portsOf(name).ops}/readyz`;
}
