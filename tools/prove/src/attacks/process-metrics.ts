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

export async function readProcessMetrics(opsUrl: string): Promise<ProcessMetrics> {
  const text = await (await fetch(`${opsUrl}/metrics`, { signal: AbortSignal.timeout(30_000) })).text();
  const valueOf = (series: RegExp): number => Number(new RegExp(`^${series.source} (.+)$`, 'm').exec(text)?.[1] ?? 0);
  return {
    residentBytes: valueOf(/process_resident_memory_bytes(?:\{[^}]*\})?/),
    cpuSeconds: valueOf(/process_cpu_seconds_total(?:\{[^}]*\})?/),
    sockets: valueOf(/nodejs_active_resources\{[^}]*type="TCPSocketWrap"[^}]*\}/),
    stallMsMax: Math.max(0, valueOf(/nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})?/) * 1_000 - RESOLUTION_MS),
  };
}
