import { setTimeout as delay } from 'node:timers/promises';
import { countsOf, percentile, rounded } from '@market-state/testing';
import { LATEST } from '../edge/edge';
import type { SuiteContext, Report } from '../harness';
import { type LoadReport, startLoad } from './load/start-load';
import { count, type Scene } from './scene';

/** Calls of `latest` by known keys that are made while something else happens. */
export interface Others {
  /** Ends them; the same report however often it is called. */
  stop(): Promise<OthersReport>;
}

export interface OthersReport extends LoadReport {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

/** Others before an attack, and while it goes on. */
interface Watched {
  readonly quiet: OthersReport;
  readonly during: OthersReport;
}

const PER_SECOND = 40;
const CONNECTIONS = 8;
const SECONDS_MAX = 300;
/** Calls that wait longer than this for a connection are not sent. */
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

/** Starts them; they come from 127.0.0.1. */
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
  // Also where the attack fails: they are charged for what they were answered.
  closer.add('others', async () => void (await stopOnce()));
  return { stop: stopOnce };
}

/** Adds what the tenants of a load's keys must be charged for. */
export function countCharged(scene: Scene, tenantIds: readonly string[], { good, lostOfKey }: LoadReport): void {
  for (const [at, tenantId] of tenantIds.entries())
    count(scene, tenantId, good.filter(({ keyIndex }) => keyIndex === at).length, lostOfKey[at] ?? 0);
}

/** Watches others while nothing happens. Where that is not wanted, nobody was watched and the floor alone bounds what is quiet. */
export async function watchQuiet(scene: Scene, context: SuiteContext): Promise<OthersReport> {
  return scene.sizes.quietSeconds === 0 ? NOT_WATCHED : watchOthers(scene, context, scene.sizes.quietSeconds);
}

export async function watchOthers(scene: Scene, context: SuiteContext, seconds: number): Promise<OthersReport> {
  const others = startOthers(scene, context);
  await delay(seconds * 1_000);
  return others.stop();
}

/** Checks that others got nothing but good answers and refusals by the statuses given, with a p99 of at most twice the quiet one. */
export function judgeOthers(
  report: Report,
  what: string,
  { sizes, quiet, during, mayRefuse = [] }: Pick<Scene, 'sizes'> & Watched & { readonly mayRefuse?: readonly string[] },
): void {
  const mostMs = Math.max(2 * quiet.p99Ms, sizes.p99FloorMs);
  const isRefused = Object.keys(during.refused).some((status) => !mayRefuse.includes(status));
  report.check(during.good.length > 0, `${what}: others got no good answer at all.`);
  report.check(!isRefused, `${what}: others with a known key were refused: ${countsOf(during.refused)}.`);
  report.check(during.lost === 0, `${what}: ${during.lost} calls of others had no answer.`);
  report.checkTime(
    during.p99Ms <= mostMs,
    `${what}: latest of known keys has a p99 of ${rounded(during.p99Ms)} ms, of ${rounded(mostMs)} ms at most.`,
  );
  report.checkTime(
    during.sent === during.due || mostMs > WAITS_MS_MAX,
    `${what}: ${during.due - during.sent} calls of others could not be sent, since those before had no answer.`,
  );
}

/** The figures of others without and with the attack. */
export function figureOthers(report: Report, what: string, { quiet, during }: Watched): void {
  report.figure(`${what}: latest of others, quiet`, othersFigure(quiet));
  report.figure(`${what}: latest of others, meanwhile`, othersFigure(during));
}

/** Good calls, others, and their times, in one line. */
export function othersFigure({ good, refused, lost, p50Ms, p99Ms, worstMs }: OthersReport): string {
  return (
    `${good.length} good, ${countsOf(refused)} refused, ${lost} lost; p50 ${rounded(p50Ms)}, p99 ${rounded(p99Ms)}, ` +
    `worst ${rounded(worstMs)} ms`
  );
}
