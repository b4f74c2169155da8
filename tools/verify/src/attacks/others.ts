import { setTimeout as delay } from 'node:timers/promises';
import { countsOf, percentile, rounded } from '@market-state/testing';
import { LATEST } from '../edge/edge';
import type { SuiteContext, Report } from '../harness';
import { type LoadReport, startLoad } from './load/start-load';
import { count, type Scene } from './scene';

export interface Others {
  /** Stops them; repeated calls return the same report. */
  stop(): Promise<OthersReport>;
}

export interface OthersReport extends LoadReport {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

interface Watched {
  readonly quiet: OthersReport;
  readonly during: OthersReport;
}

const PER_SECOND = 40;
const CONNECTIONS = 8;
const SECONDS_MAX = 300;
const WAITS_MS_MAX = 1_000;

const NOT_WATCHED: OthersReport = {
  due: 0,
  sent: 0,
  durationMs: 0,
  good: [],
  refused: {},
  refusedP99Ms: 0,
  lost: 0,
  lostOfKey: [],
  p50Ms: 0,
  p99Ms: 0,
  worstMs: 0,
};

export function startOthers(scene: Scene, { closer }: SuiteContext): Others {
  const load = startLoad(closer, {
    url: scene.gateway.url,
    paths: [LATEST],
    perSecond: PER_SECOND,
    secondsMax: SECONDS_MAX,
    connections: CONNECTIONS,
    addresses: ['127.0.0.1'],
    credentials: { kind: 'keys', keys: scene.others.map(({ key }) => key) },
  });
  let stopped: Promise<OthersReport> | undefined;
  async function stop(): Promise<OthersReport> {
    const report = await load.stop();
    countCharged(
      scene,
      scene.others.map(({ tenantId }) => tenantId),
      report,
    );
    const took = report.good.map(({ tookMs }) => tookMs);
    return { ...report, p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99), worstMs: percentile(took, 1) };
  }
  const stopOnce = (): Promise<OthersReport> => (stopped ??= stop());
  // Also if the attack fails: their answers count for the ledger check.
  closer.add('others', async () => void (await stopOnce()));
  return { stop: stopOnce };
}

export function countCharged(scene: Scene, tenantIds: readonly string[], { good, lostOfKey }: LoadReport): void {
  for (const [at, tenantId] of tenantIds.entries())
    count(scene, tenantId, good.filter(({ keyIndex }) => keyIndex === at).length, lostOfKey[at] ?? 0);
}

/**
 * Watches other tenants before the attack. Returns an empty report if the sizes skip this; then only the floor bounds
 * the quiet p99.
 */
export async function watchQuiet(scene: Scene, context: SuiteContext): Promise<OthersReport> {
  return scene.sizes.quietSeconds === 0 ? NOT_WATCHED : watchOthers(scene, context, scene.sizes.quietSeconds);
}

export async function watchOthers(scene: Scene, context: SuiteContext, seconds: number): Promise<OthersReport> {
  const others = startOthers(scene, context);
  await delay(seconds * 1_000);
  return others.stop();
}

/**
 * Checks that other tenants got only good answers and the allowed refusals, with a p99 of at most twice the quiet one.
 */
export function judgeOthers(
  report: Report,
  what: string,
  { sizes, quiet, during, mayRefuse = [] }: Pick<Scene, 'sizes'> & Watched & { readonly mayRefuse?: readonly string[] },
): void {
  const mostMs = Math.max(2 * quiet.p99Ms, sizes.p99FloorMs);
  const isRefused = Object.keys(during.refused).some((status) => !mayRefuse.includes(status));
  report.check(during.good.length > 0, `${what}: other tenants got no good answer.`);
  report.check(!isRefused, `${what}: other tenants with known keys were refused: ${countsOf(during.refused)}.`);
  report.check(during.lost === 0, `${what}: ${during.lost} calls of other tenants had no answer.`);
  report.checkTime(
    during.p99Ms <= mostMs,
    `${what}: latest with known keys has a p99 of ${rounded(during.p99Ms)} ms; the limit is ${rounded(mostMs)} ms.`,
  );
  report.checkTime(
    during.sent === during.due || mostMs > WAITS_MS_MAX,
    `${what}: ${during.due - during.sent} calls of other tenants were not sent because earlier ones had no answer.`,
  );
}

export function chartOthers(report: Report, what: string, { quiet, during }: Watched): void {
  report.figure(`${what}: other tenants' latest, quiet`, othersChart(quiet));
  report.figure(`${what}: other tenants' latest, during the attack`, othersChart(during));
}

export function othersChart({ good, refused, lost, p50Ms, p99Ms, worstMs }: OthersReport): string {
  return (
    `${good.length} good, ${countsOf(refused)} refused, ${lost} lost; p50 ${rounded(p50Ms)}, p99 ${rounded(p99Ms)}, ` +
    `worst ${rounded(worstMs)} ms`
  );
}
