import { Agent } from 'node:http';
import { cpuMsBelow, restingCpu } from '../reads/cpu-of';
import { ask, type RequestHeaders } from '../reads/steady-load';
import type { GrowthRead } from './growth-reads';

/** A window: what is done for its packet is in it once. */
const RESTING_MS = 10_000;
const READ_MS = 2_000;
const CONNECTIONS = 4;

/** CPU of all processes for a request of each read, milliseconds, by the read's name; NaN where not every answer was 200. */
export type Costs = ReadonlyMap<string, number>;

/** Asks each read for some seconds, over a few connections; what the processes use while nobody asks is not counted. */
export async function costOfReads(url: string, reads: readonly GrowthRead[], headers: readonly RequestHeaders[]): Promise<Costs> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const costs = new Map<string, number>();
  try {
    for (const each of headers) await ask(agent, url + (reads[0]?.addresses[0] ?? ''), each);
    for (const { addresses, once } of reads) if (!once) for (const address of addresses) await ask(agent, url + address, headers[0] ?? {});
    const resting = await restingCpu(process.pid, 0, RESTING_MS);
    for (const read of reads) costs.set(read.name, await costOf(agent, url, read, { headers, resting }));
  } finally {
    agent.destroy();
  }
  return costs;
}

async function costOf(
  agent: Agent,
  url: string,
  { addresses, once }: GrowthRead,
  { headers, resting }: { readonly headers: readonly RequestHeaders[]; readonly resting: number },
): Promise<number> {
  const [startMs, before] = [performance.now(), cpuMsBelow(process.pid, 0)];
  let [asked, refused] = [0, 0];
  const hasMore = (): boolean => performance.now() - startMs < READ_MS && !(once && asked >= addresses.length);
  const one = async (): Promise<void> => {
    while (hasMore()) {
      const index = asked;
      asked += 1;
      const { status } = await ask(agent, url + (addresses[index % addresses.length] ?? ''), headers[index % headers.length] ?? {});
      if (status !== 200) refused += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  const usedMs = cpuMsBelow(process.pid, 0) - before - resting * (performance.now() - startMs);
  return refused === 0 ? usedMs / asked : NaN;
}
