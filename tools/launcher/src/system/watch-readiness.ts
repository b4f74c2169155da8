import type { RpcIdentity } from '@market-state/grpc';
import { timeLimit } from '@market-state/lifecycle';
import { historyProgress } from './history-progress';
import type { RunningProcesses } from './run-processes';
import { waitForOk } from './readiness';

const reminderMs = 5_000;
/** The process that fills the history before it plays on. */
const feedName = 'data-plane-feed';
const answerTimeoutMs = 2_000;

/**
 * Tells of each process when it is ready, and every 5 s how far the history is filled, or which processes are waited for. Resolves
 * when all are ready.
 * @throws the signal's reason when it aborts first
 */
export async function watchReadiness(
  processes: RunningProcesses,
  identity: RpcIdentity,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const waiting = new Set(processes.names);
  const remind = async (): Promise<void> => {
    const progress = waiting.has(feedName)
      ? await historyProgress(`127.0.0.1:${processes.portsOf(feedName).grpc}`, identity, Date.now())
      : '';
    if (progress !== '') return say(`Filling the history: ${progress}.`);
    const reasons = await Promise.all([...waiting].map(async (name) => `${name}${await missingAt(readyPage(processes, name))}`));
    if (reasons.length > 0) say(`Waiting for ${reasons.join(', ')}.`);
  };
  const reminder = setInterval(() => void remind(), reminderMs);
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

/** The checks that a process reports as failing, in parentheses; empty when it reports none. */
async function missingAt(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: timeLimit(answerTimeoutMs) });
    const { checks = {} } = (await response.json()) as { checks?: Record<string, boolean> };
    const missing = Object.keys(checks).filter((check) => checks[check] === false);
    return missing.length === 0 ? '' : ` (${missing.join(', ')})`;
  } catch {
    return '';
  }
}

function readyPage(processes: RunningProcesses, name: string): string {
  return `http://127.0.0.1:${processes.portsOf(name).ops}/readyz`;
}
