import { delay } from '@market-state/lifecycle';
import type { RunningProcesses } from './run-processes';
import { waitForOk } from './readiness';

const FEED = 'data-plane-feed';
/** Processes that read the table, in the order of their restart: those that follow a log come before its writer. */
const READERS = ['labeling', 'data-plane-recorder', 'data-plane'];
const POLL_MS = 50;

type Processes = Pick<RunningProcesses, 'names' | 'portsOf' | 'process' | 'signal' | 'startAnother'>;

/**
 * Restarts the processes that read the instrument table, so that they serve a new one. Logs of symbols that stay go on
 * without a gap: a second feed stands by, takes over while the first restarts, and gives the logs back.
 */
export async function serveNewTable(processes: Processes, signal: AbortSignal): Promise<void> {
  for (const name of READERS.filter((each) => processes.names.includes(each))) await restart(processes, name, signal);
  if (!processes.names.includes(FEED)) return;
  const { name, ops } = await processes.startAnother(FEED);
  try {
    await waitForOk(readyUrl(ops), signal);
    await restart(processes, FEED, signal);
  } finally {
    await processes.process(name).stop();
  }
}

async function restart(processes: Processes, name: string, signal: AbortSignal): Promise<void> {
  const { pid } = processes.process(name);
  // One that has just crashed reads the new table when it starts again.
  if (pid !== undefined) processes.signal(name, 'SIGTERM');
  while (processes.process(name).pid === pid || processes.process(name).pid === undefined) {
    await delay(POLL_MS, signal);
  }
  await waitForOk(readyUrl(processes.portsOf(name).ops), signal);
}

function readyUrl(ops: number): string {
  return `http://127.0.0.1:${ops}/readyz`;
}
