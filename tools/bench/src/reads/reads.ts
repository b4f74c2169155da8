import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startSystem, type System, takeTemporaryFolder, workspaceRoot } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import {
  type Caller,
  cpuMsBelow,
  cpuMsOf,
  openCaller,
  opsUrlOf,
  percentile,
  readProcessMetrics,
  restingCpu,
  withCloser,
} from '@market-state/testing';
import { reportAtRest } from './at-rest';
import { busyAndIdleMs, busyShare, type Requested, type RequestHeaders, steadyLoad, enterpriseKeys } from './steady-load';
import { inSlices, readRoutes, type ReadRoute } from './read-routes';

const READY_LIMIT_MS = 300_000;
const GOALS_P99_MS = [
  [200, 25],
  [800, 100],
] as const;
const GOAL_LATEST_P99_MS = 10;
const GOAL_LOOP_P99_MS = 10;
const WARM_UP_MS = 20_000;
const RESTING_MS = 10_000;
const CPU_ROUNDS = 3;
/** Requests per round: CPU is reported in hundredths of a second, so cheaper requests need more. */
const CPU_REQUESTS = { bare: 2_000, often: 500, dear: 20 } as const;
/** Ten hundredths of a second. */
const CPU_REPORTED_MS = 100;
const OFTEN_WEIGHT = 90;
const CPU_CONNECTIONS = 4;
/**
 * One tenant's plan limits requests to 500 a second, and concurrent work; the cheapest route is called some thousand
 * times a second.
 */
const TENANTS = 20;
/** Verification has a low concurrency limit. */
const REQUESTS_A_CONNECTION_MIN = 20;

export interface ReadsPlan {
  readonly rates: readonly number[];
  readonly durationMs: number;
}

/**
 * Calls all read routes one at a time, then by weight at constant rates while the feed runs; then compares the gateway's CPU per keyed
 * route with a bare server's for a body of the same size.
 */
export async function measureReads(plan: ReadsPlan, say: (line: string) => void): Promise<void> {
  const { path: dataDir, remove } = takeTemporaryFolder();
  const system = await startSystem({ dataDir, settings: { FEED: 'recording,simulated', CONNECTIONS_PER_ADDRESS: '2000' } });
  try {
    await system.ready(timeLimit(READY_LIMIT_MS));
    const keys = await enterpriseKeys(system, TENANTS);
    const headers = keys.map((key) => ({ 'x-market-state-api-key': key }));
    const routes = await readRoutes(system.url, keys[0] ?? '');
    const mix = inSlices(routes);
    await steadyLoad(system.url, mix, headers, { perSecond: Math.min(...plan.rates), durationMs: WARM_UP_MS });
    await reportAtRest(system.url, routes, headers, say);
    for (const perSecond of plan.rates) {
      const before = busyAndIdleMs();
      const gateway = { opsUrl: opsUrlOf(system, 'gateway') };
      await readProcessMetrics(gateway);
      const answers = await steadyLoad(system.url, mix, headers, { perSecond, durationMs: plan.durationMs });
      const busy = busyShare(before, busyAndIdleMs());
      const { loopDelayP99Ms } = await readProcessMetrics(gateway);
      reportMix(answers, routes, { perSecond, busy, loopDelayP99Ms }, say);
    }
    await compareCpu(system, routes, headers, say);
  } finally {
    await system.stop();
    remove();
  }
}

function reportMix(
  answers: readonly Requested[],
  routes: readonly ReadRoute[],
  { perSecond, busy, loopDelayP99Ms }: { readonly perSecond: number; readonly busy: number; readonly loopDelayP99Ms: number },
  say: (line: string) => void,
): void {
  const failed = answers.filter(({ status }) => status !== 200);
  const all = answers.map(({ ms }) => ms);
  say(
    `${routes.length} read routes at ${perSecond} requests/s: p50 ${percentile(all, 0.5).toFixed(1)} ms, p99 ` +
      `${percentile(all, 0.99).toFixed(1)} ms (goal ${GOALS_P99_MS.find(([rate]) => perSecond <= rate)?.[1] ?? 'none'} ms), max ${Math.max(...all).toFixed(0)} ms; cores busy ` +
      `${(busy * 100).toFixed(0)} %`,
  );
  const latest = answers.filter(({ path }) => path.endsWith('/market-state/latest')).map(({ ms }) => ms);
  say(
    `latest among them: p99 ${percentile(latest, 0.99).toFixed(1)} ms (goal ${GOAL_LATEST_P99_MS} ms); delay of the gateway's event loop: p99 ` +
      `${loopDelayP99Ms.toFixed(1)} ms (goal ${GOAL_LOOP_P99_MS} ms)`,
  );
  say(
    `answers other than 200: ${failed.length} of ` +
      `${answers.length}${failed.length === 0 ? '' : ` (${[...new Set(failed.map(({ path, status }) => `${path} ${status}`))].join(', ')})`}`,
  );
  for (const { path, weight } of routes) {
    const own = answers.filter((answer) => answer.path === path);
    const times = own.map(({ ms }) => ms);
    if (own.length > 0)
      say(
        `  ${weight} ${path}: p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms, ` +
          `${((own.at(-1)?.bytes ?? 0) / 1_024).toFixed(1)} KiB`,
      );
  }
}

async function compareCpu(
  system: System,
  routes: readonly ReadRoute[],
  headers: readonly RequestHeaders[],
  say: (line: string) => void,
): Promise<void> {
  const bare = fork(join(workspaceRoot(), 'tools', 'bench', 'src', 'reads', 'bare-server.cjs'));
  const [{ port }] = (await once(bare, 'message')) as [{ port: number }];
  try {
    await withCloser(async (closer) => {
      const call = openCaller(closer, CPU_CONNECTIONS);
      const restingShare = await restingCpu(process.pid, bare.pid ?? 0, RESTING_MS);
      say(
        'CPU of the gateway per request, as a ratio to a bare server with a body of the same size (1 is bare, higher is better), and of all ' +
          `processes together, without the ${(restingShare * 100).toFixed(0)} % of a core that they use when idle:`,
      );
      for (const { path, address, weight } of routes.filter(({ isPublic }) => !isPublic)) {
        const total = weight >= OFTEN_WEIGHT ? CPU_REQUESTS.often : CPU_REQUESTS.dear;
        const { bytes } = await call(system.url + address, { headers: headers[0] ?? {} });
        const ratios: number[] = [];
        let gatewayUs = 0;
        const alls: number[] = [];
        for (let index = 0; index < CPU_ROUNDS; index += 1) {
          const bareUs = await cpuOf(bare, CPU_REQUESTS.bare, () =>
            askMany(call, `http://127.0.0.1:${port}/${bytes}`, [{}], CPU_REQUESTS.bare),
          );
          const [startMs, before] = [performance.now(), cpuMsBelow(process.pid, bare.pid ?? 0)];
          let requested = 0;
          gatewayUs = await cpuOf(gatewayOf(system), total, async () => {
            await askMany(call, system.url + address, headers, total);
            requested += total;
          });
          const usedMs = cpuMsBelow(process.pid, bare.pid ?? 0) - before - restingShare * (performance.now() - startMs);
          alls.push(usedMs / requested);
          ratios.push(bareUs / gatewayUs);
        }
        say(`  ${path}: ${percentile(ratios, 0.5).toFixed(3)} (${gatewayUs.toFixed(0)} us; all ${percentile(alls, 0.5).toFixed(1)} ms)`);
      }
    });
  } finally {
    bare.kill('SIGKILL');
  }
}

function gatewayOf(system: System): { readonly pid: number } {
  return { pid: system.processes.process('gateway').pid ?? 0 };
}

/** CPU microseconds of a process per request, over enough rounds to be measurable. */
async function cpuOf({ pid = 0 }: Pick<ChildProcess, 'pid'>, total: number, work: () => Promise<void>): Promise<number> {
  const before = cpuMsOf(pid);
  for (let rounds = 1; ; rounds += 1) {
    await work();
    const usedMs = cpuMsOf(pid) - before;
    if (usedMs >= CPU_REPORTED_MS) return (usedMs * 1_000) / (total * rounds);
  }
}

/** Rotates over tenants so that none exceeds its plan's limit. */
async function askMany(call: Caller, url: string, headers: readonly RequestHeaders[], total: number): Promise<void> {
  let requested = 0;
  const connections = Math.min(CPU_CONNECTIONS, Math.ceil(total / REQUESTS_A_CONNECTION_MIN));
  const one = async (): Promise<void> => {
    for (let index = 0; index < total / connections; index += 1) {
      const { status } = await call(url, { headers: headers[requested++ % headers.length] ?? {} });
      if (status !== 200) throw new Error(`${url} answers ${status}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}
