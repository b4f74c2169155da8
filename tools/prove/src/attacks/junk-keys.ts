import { setTimeout as delay } from 'node:timers/promises';
import { LATEST } from '../edge/routes';
import { ask, statusesOf } from './ask';
import type { Attack } from './attack';
import type { LoadReport } from './load/load-order';
import { startLoad } from './load/start-load';
import { countsOf, judgeOthers, othersFigure, rounded, startOthers, watchQuiet } from './others';
import type { Scene } from './scene';

const MANY_ADDRESSES = Array.from({ length: 50 }, (_, at) => `127.0.1.${at + 1}`);
/** A key that the gateway has not seen is used for the first time, each so often. */
const FIRST_USE_EVERY_MS = 500;
const FIRST_USES_MAX = 30;
const REFUSALS: ReadonlySet<string> = new Set(['401', '429', '503']);

/** Keys with a good checksum that nobody was given: half of them from one address, half from fifty. */
export const junkKeys: Attack = {
  id: 'junk',
  async run(scene) {
    const { gateway, sizes, edge, seed } = scene;
    const { perSecond, seconds } = sizes.junk;
    const { key: firstKey } = await edge.office.tenant('first uses', 'enterprise', 1_000);
    const fresh = [
      firstKey,
      ...(await edge.office.furtherKeys('first uses', Math.min(FIRST_USES_MAX, (seconds * 1_000) / FIRST_USE_EVERY_MS) - 1)),
    ];
    const quiet = await watchQuiet(scene);
    const others = startOthers(scene);
    const flood = (addresses: readonly string[], salt: number) =>
      startLoad({
        url: gateway.url,
        paths: [LATEST],
        perSecond: perSecond / 2,
        secondsMax: seconds,
        connections: 100,
        addresses,
        credentials: { kind: 'unknown', seed: seed + salt },
      });
    const floods = [flood(['127.0.0.2'], 1), flood(MANY_ADDRESSES, 2)];
    try {
      const firstUses = await useFirst(scene, fresh);
      const reports = await Promise.all(floods.map(({ done }) => done));
      const during = await others.stop();
      const judged = judgeOthers(scene, 'Junk keys', quiet, during);
      const refused = addUp(reports);
      const unserved = firstUses.filter((status) => status !== 200);
      return {
        failures: [
          ...judged.failures,
          ...reports.flatMap(({ good }) => (good.length === 0 ? [] : [`Junk keys: ${good.length} opened.`])),
          ...Object.keys(refused).flatMap((status) => (REFUSALS.has(status) ? [] : [`Junk keys: refused by ${status}.`])),
          ...(refused[429] === undefined ? ['Junk keys: they were looked up without end; none was refused by 429.'] : []),
          ...(refused[401] === undefined ? ['Junk keys: none was refused by 401.'] : []),
          ...(unserved.length === 0
            ? []
            : [
                `Junk keys: ${unserved.length} of ${firstUses.length} real keys did not open when first used: ` +
                  `${countsOf(statusesOf(unserved.map((status) => ({ status }))))}.`,
              ]),
        ],
        timing: judged.timing,
        figures: [
          ['junk keys: offered a second, sent, seconds', `${perSecond}, ${reports.reduce((sum, { sent }) => sum + sent, 0)}, ${seconds}`],
          [
            'junk keys: refused by one address, by fifty',
            reports
              .map((report) => `${countsOf(report.refused)} (p99 ${rounded(report.refusedP99Ms)} ms, ${report.lost} without an answer)`)
              .join('; '),
          ],
          ['junk keys: latest of others, quiet', othersFigure(quiet)],
          ['junk keys: latest of others, meanwhile', othersFigure(during)],
          ['junk keys: real keys used for the first time, by status', countsOf(statusesOf(firstUses.map((status) => ({ status }))))],
        ],
      };
    } finally {
      await Promise.all([others.stop(), ...floods.map((each) => each.stop())]);
    }
  },
};

/** A look-up that has to wait too long is refused by 503, and the caller comes again: so many times at most. */
const FIRST_USE_TRIES_MAX = 5;

/**
 * Uses each key for the first time, one after the other, as a caller does who comes again after 503; the last status of each, 0 without an
 * answer.
 */
async function useFirst({ gateway }: Scene, keys: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const key of keys) {
    await delay(FIRST_USE_EVERY_MS);
    let status = 503;
    for (let tries = 0; tries < FIRST_USE_TRIES_MAX && status === 503; tries += 1) {
      if (tries > 0) await delay(FIRST_USE_EVERY_MS);
      status = (await ask(`${gateway.url}${LATEST}`, { headers: { 'x-market-state-api-key': key } }))?.status ?? 0;
    }
    statuses.push(status);
  }
  return statuses;
}

function addUp(reports: readonly LoadReport[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { refused } of reports) for (const [status, total] of Object.entries(refused)) sums[status] = (sums[status] ?? 0) + total;
  return sums;
}
