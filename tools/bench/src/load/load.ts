import { cpus, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { startSystem, takeTemporaryFolder } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { cpuMsBelow, opsUrlOf, readProcessMetrics } from '@market-state/testing';
import { enterpriseKeys, busyAndIdleMs, busyShare, sizeOfAnswer } from '../reads/steady-load';
import { drive, type LoadScene, faultsOf, lineOf } from './drive';
import { measureOverload } from './overload';
import { measureSpeed } from './speed';

const BASE = '/api/public';
const SAMPLE_EVERY_MS = 2_000;
const ANSWER_MS_MAX = 30_000;

/** Symbols whose recording has no gaps; the simulated market plays some. */
const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP'];

interface IngestReport {
  /** Maximum age of the newest packet's window end; a window is 10 s long. */
  readonly packetAgeMsMax: number;
  /** Maximum age of the feed clock used for rows, and of the newest book and trade row relative to it. */
  readonly feedAgeMsMax: number;
  readonly rowAgeMsMax: number;
  readonly notFresh: number;
  readonly samples: number;
  /** New gaps by symbol and reason, except recording seams. */
  readonly gaps: readonly string[];
}

interface Latest {
  readonly packet_freshness: { readonly freshness_state: string; readonly window_end_utc: string };
}

interface Freshness {
  readonly as_of_utc: string;
  readonly source_status: string;
  readonly channels: readonly { readonly channel: string; readonly freshness_ms: number | null }[];
}

interface Gaps {
  readonly rows: readonly { readonly gap_id: string; readonly kind: string; readonly reason: string; readonly symbol: string }[];
}

async function watchIngest(url: string, key: string, work: Promise<unknown>): Promise<IngestReport> {
  const before = new Set((await gapsOf(url, key)).map(({ gap_id: id }) => id));
  let [packetAgeMsMax, feedAgeMsMax, rowAgeMsMax, notFresh, samples] = [0, 0, 0, 0, 0];
  let hasEnded = false;
  const ended = work.finally(() => (hasEnded = true));
  ended.catch(() => undefined);
  while (!hasEnded) {
    for (const symbol of SYMBOLS) {
      const latest = await read<Latest>(url, key, `market-state/latest?symbol=${symbol}`);
      packetAgeMsMax = Math.max(packetAgeMsMax, ageOf(latest.packet_freshness.window_end_utc));
      const rows = await read<Freshness>(url, key, `data/status/freshness?symbol=${symbol}`);
      feedAgeMsMax = Math.max(feedAgeMsMax, ageOf(rows.as_of_utc));
      const ages = rows.channels.filter(({ channel }) => channel === 'book' || channel === 'trades');
      rowAgeMsMax = Math.max(rowAgeMsMax, ...ages.map(({ freshness_ms: ms }) => ms ?? Infinity));
      if (latest.packet_freshness.freshness_state !== 'fresh' || rows.source_status !== 'fresh') notFresh += 1;
      samples += 1;
    }
    await Promise.race([delay(SAMPLE_EVERY_MS), ended]);
  }
  await ended;
  const after = await gapsOf(url, key);
  const gaps = after.filter(({ gap_id: id, kind }) => kind === 'gap' && !before.has(id)).map(({ symbol, reason }) => `${symbol} ${reason}`);
  return { packetAgeMsMax, feedAgeMsMax, rowAgeMsMax, notFresh, samples, gaps };
}

async function gapsOf(url: string, key: string): Promise<Gaps['rows']> {
  const fromMs = Date.now() - 600_000;
  const of = await Promise.all(SYMBOLS.map((symbol) => read<Gaps>(url, key, `data/gaps?symbol=${symbol}&from=${fromMs}`)));
  return of.flatMap(({ rows }) => rows);
}

function ageOf(utc: string): number {
  return Date.now() - Date.parse(utc);
}

async function read<Answer>(url: string, key: string, path: string): Promise<Answer> {
  const response = await fetch(`${url}${BASE}/${path}`, {
    headers: { 'x-market-state-api-key': key },
    signal: timeLimit(ANSWER_MS_MAX),
  });
  if (!response.ok) throw new Error(`${path} answers ${response.status}`);
  return (await response.json()) as Answer;
}

const READY_LIMIT_MS = 300_000;
const SETTLE_MS = 10_000;
const PATH = '/api/public/market-state/latest?symbol=BTCUSD-PERP';
const TENANTS = 40;
const WARM_UP_SECONDS = 5;

interface LoadPlan {
  readonly perSecond: number;
  readonly seconds: number;
  readonly overloadSeconds: number;
}

/** @throws Error listing every fault */
export async function measureLoad(plan: LoadPlan, say: (line: string) => void): Promise<void> {
  const { path: dataDir, remove } = takeTemporaryFolder();
  const settings = { FEED: 'recording,simulated', CONNECTIONS_PER_ADDRESS: '2000' };
  const system = await startSystem({ dataDir, settings });
  try {
    await system.ready(timeLimit(READY_LIMIT_MS));
    await delay(SETTLE_MS);
    const keys = await enterpriseKeys(system, TENANTS);
    const scene = { system, url: system.url + PATH, keys, say };
    say(`${cpus().length} cores; load average over the last minute before: ${loadavg()[0]?.toFixed(1)}`);
    const faults = [...(await measureSteady(scene, plan))];
    const perSecond = await measureSpeed(scene, await sizeOfAnswer(scene.url, keys[0] ?? ''));
    faults.push(...(await measureOverload(scene, { served: perSecond, builtFor: plan.perSecond, seconds: plan.overloadSeconds })));
    if (faults.length > 0) throw new Error(faults.join('\n'));
  } finally {
    await system.stop();
    remove();
  }
}

async function measureSteady({ system, url, keys, say }: LoadScene, { perSecond, seconds }: LoadPlan): Promise<readonly string[]> {
  await drive({ url, keys, perSecond, connections: 5, seconds: WARM_UP_SECONDS });
  const gateway = { opsUrl: opsUrlOf(system, 'gateway') };
  await readProcessMetrics(gateway);
  const before = busyAndIdleMs();
  const [startMs, ownBefore] = [performance.now(), cpuMsBelow(process.pid, 0)];
  const load = drive({ url, keys, perSecond, connections: 5, seconds });
  const ingest = await watchIngest(system.url, keys[0] ?? '', load);
  const report = await load;
  const busy = busyShare(before, busyAndIdleMs());
  const shareOf = (cpuMs: number): string => `${((cpuMs * 100) / (performance.now() - startMs) / cpus().length).toFixed(0)} %`;
  const own = shareOf(cpuMsBelow(process.pid, 0) - ownBefore);
  const { loopDelayP99Ms } = await readProcessMetrics(gateway);
  say(`${perSecond} latest/s for ${seconds} s with running feeds, by autocannon (goal p50 10 ms, p99 50 ms, no error): ${lineOf(report)}`);
  say(
    `  all cores busy ${(busy * 100).toFixed(0)} %: the system ${own}, autocannon ${shareOf(report.cpuMs)}, the rest is other work on this ` +
      `machine; delay of the gateway's event loop p99 ${loopDelayP99Ms.toFixed(1)} ms`,
  );
  say(
    `  ingest during the load, ${ingest.samples} samples: newest packet's window ended at most ${(ingest.packetAgeMsMax / 1_000).toFixed(1)} s ago, ` +
      `feed clock ${ingest.feedAgeMsMax} ms, newest row ${ingest.rowAgeMsMax} ms before it; not fresh ${ingest.notFresh}; ` +
      `new gaps: ${ingest.gaps.join(', ') || 'none'}`,
  );
  return [
    ...faultsOf(report, [200]),
    ...(ingest.notFresh === 0 ? [] : [`${ingest.notFresh} answers were not fresh.`]),
    ...ingest.gaps.map((gap) => `New gap during the load: ${gap}.`),
  ].map((fault) => `At ${perSecond}/s: ${fault}`);
}
