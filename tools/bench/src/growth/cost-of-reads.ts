import { type Caller, cpuMsBelow, openCaller, restingCpu, withCloser } from '@market-state/testing';
import type { RequestHeaders } from '../reads/steady-load';
import type { GrowthRead } from './growth-reads';
import { refusedOf } from './refused';

/** A window: what is done for its packet is in it once. A read is asked for as long as nobody asks before it. */
const WINDOW_MS = 10_000;
/** Until the code of a read has been compiled. */
const WARM_MS = 2_000;

/** CPU of all processes for a request of each read, milliseconds, by the read's name; NaN where not every answer was 200. */
export type Costs = ReadonlyMap<string, number>;

/**
 * Asks each read for a window, over one connection, so that a core is left for what the processes do all the time. What they use for that
 * is not counted: the mean of the windows before and after, in which nobody asks.
 */
export function costOfReads(
  url: string,
  reads: readonly GrowthRead[],
  headers: readonly RequestHeaders[],
  say: (line: string) => void,
): Promise<Costs> {
  return withCloser(async (closer) => {
    const call = openCaller(closer, 1);
    const costs = new Map<string, number>();
    for (const each of headers) await call(url + (reads[0]?.addresses[0] ?? ''), { headers: each });
    for (const read of reads) if (!read.once) await askFor(WARM_MS, call, url, read, headers);
    let restBefore = await restingCpu(process.pid, 0, WINDOW_MS);
    for (const read of reads) {
      const [startMs, before] = [performance.now(), cpuMsBelow(process.pid, 0)];
      const statuses = await askFor(WINDOW_MS, call, url, read, headers);
      const [usedMs, tookMs] = [cpuMsBelow(process.pid, 0) - before, performance.now() - startMs];
      const restAfter = await restingCpu(process.pid, 0, WINDOW_MS);
      const refused = refusedOf(statuses);
      if (refused !== undefined) say(`${read.name}: ${refused}`);
      costs.set(read.name, refused === undefined ? (usedMs - ((restBefore + restAfter) / 2) * tookMs) / statuses.length : NaN);
      restBefore = restAfter;
    }
    return costs;
  });
}

/** Asks a read again and again for so long, or until each address was asked once where more may not be. @returns the answers' statuses */
async function askFor(
  durationMs: number,
  call: Caller,
  url: string,
  { addresses, once }: GrowthRead,
  headers: readonly RequestHeaders[],
): Promise<readonly number[]> {
  const startMs = performance.now();
  const statuses: number[] = [];
  while (performance.now() - startMs < durationMs && !(once && statuses.length >= addresses.length)) {
    const at = statuses.length;
    const { status } = await call(url + (addresses[at % addresses.length] ?? ''), { headers: headers[at % headers.length] ?? {} });
    statuses.push(status);
  }
  return statuses;
}
