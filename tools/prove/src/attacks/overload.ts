import type { EdgeTenant } from '../edge/office';
import { LATEST } from '../edge/routes';
import type { Attack } from './attack';
import { type GoodCall, quantile } from './load/load-order';
import { startLoad } from './load/start-load';
import { countCharged, countsOf, judgeOthers, othersFigure, rounded, startOthers, watchOthers, watchQuiet } from './others';

/** In the long form they may make 2,000 calls a second together, which is what the service is built for. */
const OVERLOADERS = 4;
/** Generators, so that one core is not the bound of what is offered. */
const GENERATORS = 2;
/** Refused calls of known keys are allowed here, last of all. */
const MAY_REFUSE = ['503'];

/** Far more calls than their tenants may make; in the long form three times the load that the service is built for. */
export const overload: Attack = {
  id: 'overload',
  async run(scene) {
    const { gateway, sizes, edge } = scene;
    const { planId, perSecond, seconds, connections, acceptedP99MsMax } = sizes.overload;
    const loaders: EdgeTenant[] = [];
    for (let at = 0; at < OVERLOADERS; at += 1)
      loaders.push(await edge.office.tenant(`overload ${at}`, planId, planId === 'enterprise' ? 1_000_000 : undefined));
    const quiet = await watchQuiet(scene);
    const others = startOthers(scene);
    const loads = Array.from({ length: GENERATORS }, (_, at) =>
      startLoad({
        url: gateway.url,
        paths: [LATEST],
        perSecond: perSecond / GENERATORS,
        secondsMax: seconds,
        connections: connections / GENERATORS,
        addresses: [`127.0.4.${2 * at + 1}`, `127.0.4.${2 * at + 2}`],
        credentials: { kind: 'keys', keys: loaders.map(({ key }) => key) },
      }),
    );
    try {
      const reports = await Promise.all(loads.map(({ done }) => done));
      const during = await others.stop();
      for (const report of reports)
        countCharged(
          scene,
          loaders.map(({ tenantId }) => tenantId),
          report,
        );
      const back = await watchOthers(scene, sizes.overload.backSeconds);
      const judged = judgeOthers(scene, 'Overload', quiet, during, MAY_REFUSE);
      const judgedBack = judgeOthers(scene, 'After the overload', quiet, await watchOthers(scene, 1));
      const took = reports.flatMap(({ good }) => good.map(({ tookMs }) => tookMs));
      const acceptedMs = quantile(took, 0.99);
      const strange = reports.flatMap(({ refused }) => Object.entries(refused)).filter(([status]) => status !== '429' && status !== '503');
      const lost = reports.reduce((sum, report) => sum + report.lost, 0);
      const sent = reports.reduce((sum, report) => sum + report.sent, 0);
      const durationS = Math.max(...reports.map(({ durationMs }) => durationMs)) / 1_000;
      return {
        failures: [
          ...judged.failures,
          ...judgedBack.failures,
          ...strange.map(([status, total]) => `Overload: ${total} calls were answered by ${status}.`),
          ...(lost === 0 ? [] : [`Overload: ${lost} calls had no answer.`]),
          ...(took.length > 0 ? [] : ['Overload: no call was let in.']),
        ],
        timing: [
          ...judged.timing,
          ...judgedBack.timing,
          ...(acceptedMs <= acceptedP99MsMax ? [] : [`Overload: calls that were let in have a p99 of ${rounded(acceptedMs)} ms.`]),
        ],
        figures: [
          [
            'overload: calls wanted a second, sent a second, seconds',
            `${perSecond}, ${Math.round(sent / durationS)}, ${rounded(durationS)}`,
          ],
          [
            'overload: let in a second, refused',
            `${Math.round(took.length / durationS)}, ${reports.map(({ refused }) => countsOf(refused)).join(' and ')}, ` +
              `${lost} without an answer`,
          ],
          [
            'overload: p50, p99 of those let in, p99 of refusals, ms',
            `${rounded(quantile(took, 0.5))}, ${rounded(acceptedMs)}, ` +
              `${reports.map(({ refusedP99Ms }) => rounded(refusedP99Ms)).join(' and ')}`,
          ],
          ['overload: latest of others, quiet', othersFigure(quiet)],
          ['overload: latest of others, meanwhile', othersFigure(during)],
          [`overload: latest of others, the ${sizes.overload.backSeconds} s after`, othersFigure(back)],
          ['overload: seconds until normal again', secondsUntilNormal(back.good, Math.max(2 * quiet.p99Ms, sizes.p99FloorMs))],
        ],
      };
    } finally {
      await Promise.all([others.stop(), ...loads.map((load) => load.stop())]);
    }
  },
};

/** The first second from which on every second's p99 was normal. */
function secondsUntilNormal(good: readonly GoodCall[], mostMs: number): number {
  const slow = good.filter(({ tookMs }) => tookMs > mostMs).map(({ atMs }) => Math.floor(atMs / 1_000) + 1);
  return Math.max(0, ...slow);
}
