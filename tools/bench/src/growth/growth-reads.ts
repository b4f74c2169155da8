import type { System } from '@market-state/launcher';
import { cpuMsBelow, proportionalMiB, restingCpu, type Caller, openCaller, withCloser } from '@market-state/testing';
import { enterpriseKeys, steadyLoad, type RequestHeaders } from '../reads/steady-load';

export interface Column {
  readonly title: string;
  readonly figures: ReadonlyMap<string, number>;
}

/** Table lines, one per row of the first column, each value with its ratio to the first; NaN means refused. */
export function tableOf(columns: readonly Column[]): readonly string[] {
  const names = [...(columns[0]?.figures.keys() ?? [])];
  const head = ['', ...columns.map(({ title }) => title)];
  const rows = names.map((name) => {
    const first = columns[0]?.figures.get(name) ?? NaN;
    return [name, ...columns.map(({ figures }, index) => cellOf(figures.get(name) ?? NaN, index === 0 ? undefined : first))];
  });
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  );
}

function cellOf(figure: number, first: number | undefined): string {
  if (Number.isNaN(figure)) return 'refused';
  return first === undefined ? figure.toFixed(2) : `${figure.toFixed(2)} (${(figure / first).toFixed(2)})`;
}

/** Describes answers other than 200, by status; undefined if there are none. */
export function refusedOf(statuses: readonly number[]): string | undefined {
  const totals = new Map<number, number>();
  for (const status of statuses) if (status !== 200) totals.set(status, (totals.get(status) ?? 0) + 1);
  if (totals.size === 0) return undefined;
  return `of ${statuses.length} answers ${[...totals].map(([status, total]) => `${total} were ${status}`).join(', ')}`;
}

/** One window, so that each packet's work is included once. */
const WINDOW_MS = 10_000;
/** Until the code of a read is compiled. */
const WARM_MS = 2_000;

/** CPU milliseconds of all processes per request, by read; NaN if any answer was not 200. */
export type Costs = ReadonlyMap<string, number>;

/**
 * One connection leaves a core for the processes' own work. That is subtracted: the mean of the windows before and
 * after, without requests.
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

/** Repeats a read for a duration, or until each address was used once if it may not repeat. @returns the statuses */
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

const PER_SECOND = 480;
/** Requests with new keys: below the gateway's limit on lookups, beyond which it refuses. */
const KEYS_PER_SECOND = 100;
const ONE_KEY_MS = 8_000;
const RESTING_MS = 10_000;

export async function growthByKeys(
  system: System,
  reads: readonly GrowthRead[],
  keyTotal: number,
  say: (line: string) => void,
): Promise<void> {
  const keys = await enterpriseKeys(system, keyTotal);
  const resting = await restingCpu(process.pid, 0, RESTING_MS);
  const reported: string[] = [];
  const columns: Column[] = [];
  const all = { keys, perSecond: KEYS_PER_SECOND, durationMs: (keyTotal * 1_000) / KEYS_PER_SECOND };
  const rounds = [
    { title: '1 key', keys: keys.slice(0, 1), perSecond: PER_SECOND, durationMs: ONE_KEY_MS },
    { title: `${keyTotal} keys, first time`, ...all },
    { title: 'again', ...all },
  ];
  for (const { title, keys: some, perSecond, durationMs } of rounds) {
    const headers = some.map((key) => ({ 'x-market-state-api-key': key }));
    const figures = new Map<string, number>();
    for (const { name, addresses } of reads) {
      const [startMs, before] = [performance.now(), cpuMsBelow(process.pid, 0)];
      const targets = addresses.map((address) => ({ path: name, address }));
      const answers = await steadyLoad(system.url, targets, headers, { perSecond, durationMs });
      const usedMs = cpuMsBelow(process.pid, 0) - before - resting * (performance.now() - startMs);
      const refused = refusedOf(answers.map(({ status }) => status));
      if (refused !== undefined) say(`${name}, ${title}: ${refused}`);
      figures.set(name, refused === undefined ? usedMs / answers.length : NaN);
    }
    columns.push({ title, figures });
    reported.push(`${title} ${proportionalMiB(system.processes.process('gateway').pid ?? 0).toFixed(0)} MiB`);
  }
  for (const line of tableOf(columns)) say(line);
  say(`gateway memory after that: ${reported.join(', ')}`);
}

interface GrowthRead {
  readonly name: string;
  /** Used round-robin, each for one request. */
  readonly addresses: readonly string[];
  /** Uses each address once, so that no cache answers. */
  readonly once: boolean;
}

const BASE = '/api/public';

const WORD = 'pressure';

export function growthReads(symbols: readonly string[], eventIds: readonly string[]): readonly GrowthRead[] {
  const of = (name: string, path: string): GrowthRead => ({
    name,
    addresses: symbols.map((symbol) => `${BASE}/${path}${path.includes('?') ? '&' : '?'}symbol=${symbol}`),
    once: false,
  });
  return [
    of('latest', 'market-state/latest'),
    { name: 'latest of all, compact', addresses: [`${BASE}/market-state/latest?symbol=ALL&view=compact`], once: false },
    of('book', 'data/book/l2/latest'),
    of('candles', 'data/candles'),
    of('freshness', 'data/status/freshness'),
    of('gaps', 'data/gaps'),
    of('history (60)', 'market-state/history?limit=60'),
    of('replay (10)', 'market-state/replay?limit=10'),
    { name: 'search, all (10)', addresses: [`${BASE}/market-state/events/search?limit=10&symbol=ALL`], once: false },
    of('search by a word (10)', `market-state/events/search?limit=10&q=${WORD}`),
    { name: 'evidence, new each', addresses: eventIds.map((id) => `${BASE}/market-state/events/${id}/evidence`), once: true },
  ];
}
