import type { System } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';

const ANSWER_MS_MAX = 30_000;
/** The event loop's monitor samples at this interval, and counts the interval too. */
const RESOLUTION_MS = 10;

/** Metrics of a process at one moment. */
export interface Metrics {
  /** The sum of a metric's series, of those whose labels match; 0 where there is none. */
  sum(name: string, labels?: RegExp): number;
}

/** Base URL of the metrics and health of a system's process. */
export function opsUrlOf({ processes }: Pick<System, 'processes'>, name: string): string {
  return `http://127.0.0.1:${processes.portsOf(name).ops}`;
}

/** @param opsUrl base URL of the process's metrics */
export async function readMetrics(opsUrl: string): Promise<Metrics> {
  const text = await (await fetch(`${opsUrl}/metrics`, { signal: timeLimit(ANSWER_MS_MAX) })).text();
  const series = [...text.matchAll(/^(\w+)(\{.*\})? (\S+)$/gm)];
  return {
    sum(name, labels = /^/) {
      const wanted = series.filter(([, own, ownLabels = '']) => own === name && labels.test(ownLabels));
      return wanted.reduce((sum, [, , , value]) => sum + Number(value), 0);
    },
  };
}

/** What Node reports of a process. */
export interface ProcessMetrics {
  readonly residentBytes: number;
  /** Since its start. */
  readonly cpuSeconds: number;
  /** Open TCP connections, to anyone. */
  readonly sockets: number;
  /** Longest stall of its event loop since this was last read, milliseconds. */
  readonly stallMsMax: number;
  /** 99th percentile of its event loop's delay since this was last read, milliseconds. */
  readonly loopDelayP99Ms: number;
}

export async function readProcessMetrics({ opsUrl }: { readonly opsUrl: string }): Promise<ProcessMetrics> {
  const { sum } = await readMetrics(opsUrl);
  const delayMs = (name: string): number => Math.max(0, sum(name) * 1_000 - RESOLUTION_MS);
  return {
    residentBytes: sum('process_resident_memory_bytes'),
    cpuSeconds: sum('process_cpu_seconds_total'),
    sockets: sum('nodejs_active_resources', /type="TCPSocketWrap"/),
    stallMsMax: delayMs('nodejs_eventloop_lag_max_seconds'),
    loopDelayP99Ms: delayMs('nodejs_eventloop_lag_p99_seconds'),
  };
}
