import { type LogBundle, loadPolicy } from '@market-state/labeler';
import { openRecomputePage, type PageAnswer, type RecomputePage, oneOf } from '@market-state/testing';
import { needsChromium, type Suite, type SuiteContext } from '../harness';
import { bundlesFrom, logsFor, type Maker, newMaker, packed } from './bundles';
import { verifyLab, timeLab } from './lab';
import { verifyLogarithm } from './logarithm';
import { mutate } from './mutations';

/** Bounds of a quarter of an hour: the answer, and how long the page may not answer meanwhile. */
const QUARTER = { packets: 90, answerMs: 3_000, pauseMs: 50 };
const LOGARITHMS_A_PACKET = 10_000;

/** Recomputes packets of recorded and simulated logs in the portal's worker in Chromium, and as many times with one thing changed. */
export const recomputeSuite: Suite = {
  id: 'recompute',
  claim:
    "the portal's worker finds in Chromium every packet of recorded and simulated logs with gaps and seams equal, finds everything that " +
    'is changed, and takes its logarithms bit for bit as V8 does; its policy lab makes them again under the published numbers',
  budget: { default: 1_000, counts: 'packets, and as many changes' },
  short: { seed: 5, budget: 20 },
  needs: [needsChromium],
  async run(context) {
    const { closer, report, random, seed, budget, isShort, say } = context;
    const page = await openRecomputePage();
    closer.add('page', () => page.close());
    const [maker, other] = [newMaker(), newMaker()];
    const logs = logsFor(budget, seed);
    const packetsEach = budget < 100 ? 5 : 10;
    const bundles: LogBundle[] = [];
    for (const log of logs) {
      const made = bundlesFrom(log, budget / logs.length, packetsEach, maker);
      bundles.push(...made);
      const equal = await equalPackets(page, made, maker, context);
      if (isShort) report.check(equal === budget / logs.length, `${log.name}: ${equal} packets are equal, not ${budget / logs.length}.`);
      report.figure(`${log.name}: packets equal`, equal);
      say(`${log.name}: ${equal} packets equal`);
    }
    await findChanges(page, bundles, { maker, other }, context);
    await verifyLab(page, bundles, context);
    if (budget >= QUARTER.packets) await timeQuarter(page, maker, context);
    verifyLogarithm(report, random, budget * LOGARITHMS_A_PACKET);
    report.fail(...page.complaints());
  },
};

async function equalPackets(page: RecomputePage, bundles: readonly LogBundle[], maker: Maker, { report }: SuiteContext): Promise<number> {
  let equal = 0;
  for (const { lines, packets } of bundles) {
    const { answer } = await page.check(packed(lines), { policyFiles: loadPolicy().files, keys: [maker.published] });
    const isWhole = answer.type === 'checked' && answer.check.holds && answer.check.derivation.packetTotal === packets.length;
    if (isWhole) equal += packets.length;
    else report.fail(`packets from ${packets[0]?.packet_id ?? ''} on: ${wordsOf(answer)}`);
  }
  return equal;
}

async function findChanges(
  page: RecomputePage,
  bundles: readonly LogBundle[],
  { maker, other }: { readonly maker: Maker; readonly other: Maker },
  { report, random, budget, say }: SuiteContext,
): Promise<void> {
  const found = { refused: 0, named: 0 };
  for (let change = 1; change <= budget; change += 1) {
    const bundle = oneOf(bundles, random);
    if (bundle === undefined) throw new Error('no bundle');
    const { name, lines, request } = mutate(bundle, maker, other, random);
    const { answer } = await page.check(packed(lines), request);
    if (answer.type === 'refused') found.refused += 1;
    else if (!answer.check.holds && answer.check.firstDifference !== null) found.named += 1;
    else report.fail(`not found: ${name}, in the bundle of ${bundle.packets[0]?.packet_id ?? ''}: ${wordsOf(answer)}`);
    if (change % 100 === 0) say(`${change} of ${budget} changes`);
  }
  report.figure('changes found, and the first difference named', found.named);
  report.figure('changes that make it no bundle, said in words', found.refused);
}

/** Time and pauses of a quarter of an hour of a recorded market. */
async function timeQuarter(page: RecomputePage, maker: Maker, context: SuiteContext): Promise<void> {
  const { report } = context;
  const [log] = logsFor(0, 0);
  if (log === undefined) throw new Error('no log');
  const [bundle] = bundlesFrom(log, QUARTER.packets, QUARTER.packets, maker);
  if (bundle === undefined) throw new Error('no bundle');
  const bytes = packed(bundle.lines);
  const { answer, tookMs, longestPauseMs } = await page.check(bytes, { policyFiles: loadPolicy().files, keys: [maker.published] });
  report.check(answer.type === 'checked' && answer.check.holds, `a quarter of an hour: ${wordsOf(answer)}`);
  report.figure('a quarter of an hour', `${bundle.entries.length} entries, ${bytes.length} bytes, ${Math.round(tookMs)} ms`);
  report.figure('longest pause of the page meanwhile', `${Math.round(longestPauseMs)} ms`);
  report.checkTime(tookMs <= QUARTER.answerMs, `a quarter of an hour took ${Math.round(tookMs)} ms`);
  report.checkTime(longestPauseMs <= QUARTER.pauseMs, `the page paused ${Math.round(longestPauseMs)} ms`);
  await timeLab(page, bundle, context);
}

function wordsOf(answer: PageAnswer['answer']): string {
  return answer.type === 'refused' ? answer.lines.join(' ') : JSON.stringify(answer.check);
}
