import { cpus, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { startSystem, takeTemporaryFolder } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { cpuMsBelow, opsUrlOf, readProcessMetrics } from '@market-state/testing';
import { enterpriseKeys } from '../reads/enterprise-key';
import { busyAndIdleMs, busyShare } from '../reads/cores';
import { sizeOfAnswer } from '../reads/steady-load';
import { drive } from './drive';
import { faultsOf, lineOf } from './judge';
import type { LoadScene } from './load-scene';
import { measureOverload } from './overload';
import { measureSpeed } from './speed';
import { watchIngest } from './watch-ingest';

const READY_LIMIT_MS = 300_000;
const SETTLE_MS = 10_000;
const PATH = '/api/public/market-state/latest?symbol=BTCUSD-PERP';
/** One tenant's plan allows 500 requests a second. */
const TENANTS = 40;
const WARM_UP_SECONDS = 5;

export interface LoadPlan {
  /** What the service is built for, requests a second. */
  readonly perSecond: number;
  readonly seconds: number;
  readonly overloadSeconds: number;
}

/**
 * `latest` of a started system with its feeds under the load that it is built for, at full speed beside nginx, and under three times the
 * load, by clients that others wrote. @throws Error that names every fault: an answer, a gap or growth that must not be
 */
export async function measureLoad(plan: LoadPlan, say: (line: string) => void): Promise<void> {
  const { path: dataDir, remove } = takeTemporaryFolder();
  const settings = { FEED: 'recording,simulated', CONNECTIONS_PER_ADDRESS: '2000' };
  const system = await startSystem({ dataDir, settings });
  try {
    await system.ready(timeLimit(READY_LIMIT_MS));
    await delay(SETTLE_MS);
    const keys = await enterpriseKeys(system, TENANTS);
    const scene = { system, url: system.url + PATH, keys, say };
    say(`${cpus().length} cores; load average of the last minute before: ${loadavg()[0]?.toFixed(1)}`);
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
  say(`${perSecond} latest/s for ${seconds} s beside the feeds, by autocannon (goal p50 10 ms, p99 50 ms, no error): ${lineOf(report)}`);
  say(
    `  all cores busy ${(busy * 100).toFixed(0)} %: the system ${own}, autocannon ${shareOf(report.cpuMs)}, the rest is other work of this ` +
      `machine; event loop of the gateway late by p99 ${loopDelayP99Ms.toFixed(1)} ms`,
  );
  say(
    `  ingest meanwhile, ${ingest.samples} samples: window end of the newest packet at most ${(ingest.packetAgeMsMax / 1_000).toFixed(1)} s ago, ` +
      `feed clock ${ingest.feedAgeMsMax} ms, newest row ${ingest.rowAgeMsMax} ms before it; not fresh ${ingest.notFresh}; ` +
      `new gaps: ${ingest.gaps.join(', ') || 'none'}`,
  );
  return [
    ...faultsOf(report, [200]),
    ...(ingest.notFresh === 0 ? [] : [`${ingest.notFresh} answers were not fresh.`]),
    ...ingest.gaps.map((gap) => `Gap meanwhile: ${gap}.`),
  ].map((fault) => `At ${perSecond}/s: ${fault}`);
}
