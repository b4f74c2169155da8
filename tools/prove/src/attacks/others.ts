import { setTimeout as delay } from 'node:timers/promises';
import { LATEST } from '../edge/routes';
import { type LoadReport, quantile } from './load/load-order';
import { startLoad } from './load/start-load';
import type { Scene } from './scene';

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
export function startOthers(scene: Scene): Others {
  const keys = scene.others.map(({ key }) => key);
  const order = {
    url: scene.gateway.url,
    paths: [LATEST],
    perSecond: PER_SECOND,
    secondsMax: SECONDS_MAX,
    connections: CONNECTIONS,
    addresses: ['127.0.0.1'],
    credentials: { kind: 'keys', keys },
  } as const;
  const load = startLoad(order);
  let stopped: Promise<OthersReport> | undefined;
  async function stop(): Promise<OthersReport> {
    const report = await load.stop();
    countCharged(
      scene,
      scene.others.map(({ tenantId }) => tenantId),
      report,
    );
    const took = report.good.map(({ tookMs }) => tookMs);
    return { ...report, p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99), worstMs: quantile(took, 1) };
  }
  return { stop: () => (stopped ??= stop()) };
}

/** Adds what the tenants of a load's keys must be charged for. */
export function countCharged({ counted }: Scene, tenantIds: readonly string[], { good, lostOfKey }: LoadReport): void {
  for (const [at, tenantId] of tenantIds.entries()) {
    const before = counted.get(tenantId) ?? { good: 0, lost: 0 };
    const goodOfKey = good.filter(({ keyIndex }) => keyIndex === at).length;
    counted.set(tenantId, { good: before.good + goodOfKey, lost: before.lost + (lostOfKey[at] ?? 0) });
  }
}

/** Watches others while nothing happens. Where that is not wanted, nobody was watched and the floor alone bounds what is quiet. */
export async function watchQuiet(scene: Scene): Promise<OthersReport> {
  return scene.sizes.quietSeconds === 0 ? NOT_WATCHED : watchOthers(scene, scene.sizes.quietSeconds);
}

export async function watchOthers(scene: Scene, seconds: number): Promise<OthersReport> {
  const others = startOthers(scene);
  await delay(seconds * 1_000);
  return others.stop();
}

/**
 * What is wrong with how others were served: anything but good answers and refusals by the statuses given, or a p99 above twice the quiet
 * one.
 */
export function judgeOthers(
  scene: Scene,
  what: string,
  quiet: OthersReport,
  during: OthersReport,
  mayRefuse: readonly string[] = [],
): { readonly failures: string[]; readonly timing: string[] } {
  const mostMs = Math.max(2 * quiet.p99Ms, scene.sizes.p99FloorMs);
  const refused = Object.entries(during.refused).filter(([status]) => !mayRefuse.includes(status));
  return {
    failures: [
      ...(during.good.length > 0 ? [] : [`${what}: others got no good answer at all.`]),
      ...(refused.length === 0 ? [] : [`${what}: others with a known key were refused: ${countsOf(during.refused)}.`]),
      ...(during.lost === 0 ? [] : [`${what}: ${during.lost} calls of others had no answer.`]),
    ],
    timing: [
      ...(during.p99Ms <= mostMs
        ? []
        : [`${what}: latest of known keys has a p99 of ${rounded(during.p99Ms)} ms, of ${rounded(mostMs)} ms at most.`]),
      ...(during.sent === during.due || mostMs > WAITS_MS_MAX
        ? []
        : [`${what}: ${during.due - during.sent} calls of others could not be sent, since those before had no answer.`]),
    ],
  };
}

/** Good calls, others, and their times, in one line. */
export function othersFigure({ good, refused, lost, p50Ms, p99Ms, worstMs }: OthersReport): string {
  return (
    `${good.length} good, ${countsOf(refused)} refused, ${lost} lost; p50 ${rounded(p50Ms)}, p99 ${rounded(p99Ms)}, ` +
    `worst ${rounded(worstMs)} ms`
  );
}

export function countsOf(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts);
  return entries.length === 0 ? 'none' : entries.map(([status, total]) => `${status}: ${total}`).join(', ');
}

export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
