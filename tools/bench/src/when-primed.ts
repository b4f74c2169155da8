import { type System, waitForOk } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { opsUrlOf } from '@market-state/testing';

const READY_LIMIT_MS = 1_800_000;

/**
 * Resolves when every process is ready, including its history. @throws Error after the limit, default half an hour, or
 * if a process exits
 */
export async function whenPrimed(system: System, limitMs = READY_LIMIT_MS): Promise<void> {
  const signal = AbortSignal.any([timeLimit(limitMs), system.refused]);
  await Promise.all(system.processes.names.map((name) => waitForOk(`${opsUrlOf(system, name)}/readyz`, signal)));
  await system.ready(signal);
}
