import { readMetrics } from '../harness';

/** What a process reports of itself on its ops port. */
export interface ProcessMetrics {
  readonly residentBytes: number;
  /** Since its start. */
  readonly cpuSeconds: number;
  /** TCP connections that it has open, to anyone. */
  readonly sockets: number;
  /** The longest time its event loop did nothing new, since this was last read, milliseconds. */
  readonly stallMsMax: number;
}

/** The monitor of the event loop looks each so many milliseconds, and counts that time too. */
const RESOLUTION_MS = 10;

export async function readProcessMetrics({ opsUrl }: { readonly opsUrl: string }): Promise<ProcessMetrics> {
  const { sum } = await readMetrics(opsUrl);
  return {
    residentBytes: sum('process_resident_memory_bytes'),
    cpuSeconds: sum('process_cpu_seconds_total'),
    sockets: sum('nodejs_active_resources', /type="TCPSocketWrap"/),
    stallMsMax: Math.max(0, sum('nodejs_eventloop_lag_max_seconds') * 1_000 - RESOLUTION_MS),
  };
}
