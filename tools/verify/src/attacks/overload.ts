import { LATEST } from '../edge/routes';
import { atOnce, countsOf, percentile, rounded, sumOf } from '@market-state/testing';
import type { Attack } from './attack';
import type { GoodCall } from './load/load-order';
import { startLoad } from './load/start-load';
import { countCharged, figureOthers, judgeOthers, othersFigure, startOthers, watchOthers, watchQuiet } from './others';

/** In the long form they may make 2,000 calls a second together, which is what the service is built for. */
const OVERLOADERS = 4;
/** Generators, so that one core is not the bound of what is offered. */
const GENERATORS = 2;
/** Refused calls of known keys are allowed here, last of all. */
const MAY_REFUSE = ['503'];

/** Far more calls than their tenants may make; in the long form three times the load that the service is built for. */
export const overload: Attack = {
  id: 'overload',
  async run(scene, context) {
    const { gateway, sizes, edge } = scene;
    const { closer, report } = context;
    const { planId, perSecond, seconds, connections, acceptedP99MsMax } = sizes.overload;
    const loaders = await atOnce(OVERLOADERS, (at) =>
      edge.tenants.create({ name: `overload ${at}`, planId, marketStateCredits: planId === 'enterprise' ? 1_000_000 : undefined }),
    );
    const quiet = await watchQuiet(scene, context);
    const others = startOthers(scene, context);
    const reports = await atOnce(
      GENERATORS,
      (at) =>
        startLoad(closer, {
          url: gateway.url,
          paths: [LATEST],
          perSecond: perSecond / GENERATORS,
          secondsMax: seconds,
          connections: connections / GENERATORS,
          addresses: [`127.0.4.${2 * at + 1}`, `127.0.4.${2 * at + 2}`],
          credentials: { kind: 'keys', keys: loaders.map(({ key }) => key) },
        }).done,
    );
    const during = await others.stop();
    const tenantIds = loaders.map(({ tenantId }) => tenantId);
    for (const each of reports) countCharged(scene, tenantIds, each);
    const back = await watchOthers(scene, context, sizes.overload.backSeconds);
    const after = await watchOthers(scene, context, 1);
    const took = reports.flatMap(({ good }) => good.map(({ tookMs }) => tookMs));
    const acceptedMs = percentile(took, 0.99);
    const lost = sumOf(reports.map((each) => each.lost));
    const durationS = Math.max(...reports.map(({ durationMs }) => durationMs)) / 1_000;

    judgeOthers(report, 'Overload', { sizes, quiet, during, mayRefuse: MAY_REFUSE });
    judgeOthers(report, 'After the overload', { sizes, quiet, during: after });
    for (const [status, total] of reports.flatMap(({ refused }) => Object.entries(refused)))
      report.check(status === '429' || status === '503', `Overload: ${total} calls were answered by ${status}.`);
    report.check(lost === 0, `Overload: ${lost} calls had no answer.`);
    report.check(took.length > 0, 'Overload: no call was let in.');
    report.checkTime(acceptedMs <= acceptedP99MsMax, `Overload: calls that were let in have a p99 of ${rounded(acceptedMs)} ms.`);
    report.figure(
      'overload: calls wanted a second, sent a second, seconds',
      `${perSecond}, ${Math.round(sumOf(reports.map(({ sent }) => sent)) / durationS)}, ${rounded(durationS)}`,
    );
    report.figure(
      'overload: let in a second, refused',
      `${Math.round(took.length / durationS)}, ${reports.map(({ refused }) => countsOf(refused)).join(' and ')}, ${lost} without an answer`,
    );
    report.figure(
      'overload: p50, p99 of those let in, p99 of refusals, ms',
      `${rounded(percentile(took, 0.5))}, ${rounded(acceptedMs)}, ` +
        `${reports.map(({ refusedP99Ms }) => rounded(refusedP99Ms)).join(' and ')}`,
    );
    figureOthers(report, 'overload', { quiet, during });
    report.figure(`overload: latest of others, the ${sizes.overload.backSeconds} s after`, othersFigure(back));
    report.figure('overload: seconds until normal again', secondsUntilNormal(back.good, Math.max(2 * quiet.p99Ms, sizes.p99FloorMs)));
  },
};

/** The first second from which on every second's p99 was normal. */
function secondsUntilNormal(good: readonly GoodCall[], mostMs: number): number {
  const slow = good.filter(({ tookMs }) => tookMs > mostMs).map(({ atMs }) => Math.floor(atMs / 1_000) + 1);
  return Math.max(0, ...slow);
}
