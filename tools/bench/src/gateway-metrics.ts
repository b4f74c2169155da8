import type { System } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';

const ANSWER_MS_MAX = 30_000;
const BYTES_OF_MIB = 1_024 * 1_024;
/** The monitor of the event loop looks each so many milliseconds, and counts that time too. */
const RESOLUTION_MS = 10;

/** What the gateway reports of itself. */
export interface GatewayMetrics {
  readonly residentMiB: number;
  /** How late the event loop was, 99 of 100 times, since this was last read, milliseconds. */
  readonly loopDelayP99Ms: number;
}

export async function readGatewayMetrics(system: System): Promise<GatewayMetrics> {
  const url = `http://127.0.0.1:${system.processes.portsOf('gateway').ops}/metrics`;
  const text = await (await fetch(url, { signal: timeLimit(ANSWER_MS_MAX) })).text();
  const valueOf = (name: string): number => Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
  return {
    residentMiB: valueOf('process_resident_memory_bytes') / BYTES_OF_MIB,
    loopDelayP99Ms: Math.max(0, valueOf('nodejs_eventloop_lag_p99_seconds') * 1_000 - RESOLUTION_MS),
  };
}
