import type { System } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';

const ANSWER_MS_MAX = 30_000;
/** Sampling interval of the event loop monitor, which is included in its values. */
const RESOLUTION_MS = 10;

export interface Metrics {
  sum(name: string, labels?: RegExp): number;
}

export function opsUrlOf({ processes }: Pick<System, 'processes'>, name: string): string {
  return `http://127.0.0.1:${processes.portsOf(name).ops}`;
}

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

export interface ProcessMetrics {
  readonly residentBytes: number;
  /** Since its start. */
  readonly cpuSeconds: number;
  readonly sockets: number;
  readonly stallMsMax: number;
  /** 99th percentile of the event loop delay since the last read. */
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
