import { setMaxListeners } from 'node:events';
import { type System, waitForOk } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';

const READY_LIMIT_MS = 1_800_000;

/** Resolves when every process is ready, with the history that it plays first. @throws Error after half an hour, or when a process ends */
export async function whenPrimed(system: System): Promise<void> {
  const signal = AbortSignal.any([timeLimit(READY_LIMIT_MS), system.refused]);
  setMaxListeners(0, signal);
  await Promise.all(
    system.processes.names.map((name) => waitForOk(`http://127.0.0.1:${system.processes.portsOf(name).ops}/readyz`, signal)),
  );
  await system.ready(signal);
}
