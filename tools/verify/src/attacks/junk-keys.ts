import { setTimeout as delay } from 'node:timers/promises';
import { LATEST } from '../edge/routes';
import { addUp, callOnce, countsOf, rounded, statusesOf, sumOf } from '@market-state/testing';
import type { Attack } from './attack';
import { startLoad } from './load/start-load';
import { figureOthers, judgeOthers, startOthers, watchQuiet } from './others';
import type { Scene } from './scene';

const MANY_ADDRESSES = Array.from({ length: 50 }, (_, at) => `127.0.1.${at + 1}`);
/** A key that the gateway has not seen is used for the first time, each so often. */
const FIRST_USE_EVERY_MS = 500;
const FIRST_USES_MAX = 30;
const REFUSALS: ReadonlySet<string> = new Set(['401', '429', '503']);

/** Keys with a good checksum that nobody was given: half of them from one address, half from fifty. */
export const junkKeys: Attack = {
  id: 'junk',
  async run(scene, context) {
    const { gateway, sizes, edge } = scene;
    const { closer, report, seed } = context;
    const { perSecond, seconds } = sizes.junk;
    const { key: firstKey } = await edge.tenants.create({ name: 'first uses', planId: 'enterprise', marketStateCredits: 1_000 });
    const fresh = [
      firstKey,
      ...(await edge.tenants.furtherKeys('first uses', Math.min(FIRST_USES_MAX, (seconds * 1_000) / FIRST_USE_EVERY_MS) - 1)),
    ];
    const quiet = await watchQuiet(scene, context);
    const others = startOthers(scene, context);
    const flood = (addresses: readonly string[], salt: number) =>
      startLoad(closer, {
        url: gateway.url,
        paths: [LATEST],
        perSecond: perSecond / 2,
        secondsMax: seconds,
        connections: 100,
        addresses,
        credentials: { kind: 'unknown', seed: seed + salt },
      });
    const floods = [flood(['127.0.0.2'], 1), flood(MANY_ADDRESSES, 2)];
    const firstUses = await useFirst(scene, fresh);
    const reports = await Promise.all(floods.map(({ done }) => done));
    const during = await others.stop();
    const refused = addUp(reports.map((each) => each.refused));
    const unserved = firstUses.filter(({ status }) => status !== 200);

    judgeOthers(report, 'Junk keys', { sizes, quiet, during });
    for (const { good } of reports) report.check(good.length === 0, `Junk keys: ${good.length} opened.`);
    for (const status of Object.keys(refused)) report.check(REFUSALS.has(status), `Junk keys: refused by ${status}.`);
    report.check(refused[429] !== undefined, 'Junk keys: they were looked up without end; none was refused by 429.');
    report.check(refused[401] !== undefined, 'Junk keys: none was refused by 401.');
    report.check(
      unserved.length === 0,
      `Junk keys: ${unserved.length} of ${firstUses.length} real keys did not open when first used: ${countsOf(statusesOf(unserved))}.`,
    );
    report.figure('junk keys: offered a second, sent, seconds', `${perSecond}, ${sumOf(reports.map(({ sent }) => sent))}, ${seconds}`);
    report.figure(
      'junk keys: refused by one address, by fifty',
      reports.map((each) => `${countsOf(each.refused)} (p99 ${rounded(each.refusedP99Ms)} ms, ${each.lost} without an answer)`).join('; '),
    );
    figureOthers(report, 'junk keys', { quiet, during });
    report.figure('junk keys: real keys used for the first time, by status', countsOf(statusesOf(firstUses)));
  },
};

/** A look-up that has to wait too long is refused by 503, and the caller comes again: so many times at most. */
const FIRST_USE_TRIES_MAX = 5;

/**
 * Uses each key for the first time, one after the other, as a caller does who comes again after 503; the last status of each, 0 without an
 * answer.
 */
async function useFirst({ gateway }: Scene, keys: readonly string[]): Promise<{ readonly status: number }[]> {
  const answers: { readonly status: number }[] = [];
  for (const key of keys) {
    await delay(FIRST_USE_EVERY_MS);
    let status = 503;
    for (let tries = 0; tries < FIRST_USE_TRIES_MAX && status === 503; tries += 1) {
      if (tries > 0) await delay(FIRST_USE_EVERY_MS);
      status = (await callOnce(`${gateway.url}${LATEST}`, { key }))?.status ?? 0;
    }
    answers.push({ status });
  }
  return answers;
}
