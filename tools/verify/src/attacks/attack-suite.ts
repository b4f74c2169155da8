import { setTimeout as delay } from 'node:timers/promises';
import { atOnce, countsOf, percentile, rounded, sumOf, addUp, callOnce, statusesOf } from '@market-state/testing';
import { openMarket, type Market, LATEST } from '../edge/edge';
import {
  type Suite,
  type SuiteContext,
  runSuite,
  type SuiteResult,
  untilInTime,
  auditLedger,
  receiptsOnceThere,
  type Report,
} from '../harness';
import { LONG_SIZES, SHORT_SIZES, type AttackSizes, openScene, type Scene, type Attack } from './scene';
import { allStreams } from './all-streams';
import { expensiveReads } from './expensive-reads';
import { largeBodies } from './large-bodies';
import { silentPeers } from './silent-peers';
import {
  callWithoutCredential,
  sendForeignHosts,
  sendStrangeExpect,
  readCrossSite,
  logInAtOnce,
  openPlainly,
  leaveHalfClosed,
} from './doors';
import { type GoodCall, startLoad } from './load/start-load';
import { countCharged, chartOthers, judgeOthers, othersChart, startOthers, watchOthers, watchQuiet } from './others';

const MANY_ADDRESSES = Array.from({ length: 50 }, (_, at) => `127.0.1.${at + 1}`);
const FIRST_USE_EVERY_MS = 500;
const FIRST_USES_MAX = 30;
const REFUSALS: ReadonlySet<string> = new Set(['401', '429', '503']);

/** Keys with a valid checksum that were never issued: half from one address, half from fifty. */
const junkKeys: Attack = {
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
    for (const { good } of reports) report.check(good.length === 0, `Junk keys: ${good.length} were accepted.`);
    for (const status of Object.keys(refused)) report.check(REFUSALS.has(status), `Junk keys: refused with ${status}.`);
    report.check(refused[429] !== undefined, 'Junk keys: lookups are unlimited; none was refused with 429.');
    report.check(refused[401] !== undefined, 'Junk keys: none was refused with 401.');
    report.check(
      unserved.length === 0,
      `Junk keys: ${unserved.length} of ${firstUses.length} real keys were refused on first use: ${countsOf(statusesOf(unserved))}.`,
    );
    report.figure('junk keys: offered per second, sent, seconds', `${perSecond}, ${sumOf(reports.map(({ sent }) => sent))}, ${seconds}`);
    report.figure(
      'junk keys: refusals from one address, from fifty',
      reports.map((each) => `${countsOf(each.refused)} (p99 ${rounded(each.refusedP99Ms)} ms, ${each.lost} unanswered)`).join('; '),
    );
    chartOthers(report, 'junk keys', { quiet, during });
    report.figure('junk keys: first uses of real keys, by status', countsOf(statusesOf(firstUses)));
  },
};

/** A lookup that would wait too long is refused with 503, and the caller retries this often. */
const FIRST_USE_TRIES_MAX = 5;

/** First use of each key, one at a time, retrying after 503. Reports the last status of each; 0 without an answer. */
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

/** Together they may make 2,000 calls a second in the long form, the service's design load. */
const OVERLOADERS = 4;
const GENERATORS = 2;
/** Under overload, even known keys may be refused with 503. */
const MAY_REFUSE = ['503'];

const overload: Attack = {
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
      report.check(status === '429' || status === '503', `Overload: ${total} calls were answered with ${status}.`);
    report.check(lost === 0, `Overload: ${lost} calls had no answer.`);
    report.check(took.length > 0, 'Overload: no call was accepted.');
    report.checkTime(acceptedMs <= acceptedP99MsMax, `Overload: accepted calls have a p99 of ${rounded(acceptedMs)} ms.`);
    report.figure(
      'overload: calls intended per second, sent per second, seconds',
      `${perSecond}, ${Math.round(sumOf(reports.map(({ sent }) => sent)) / durationS)}, ${rounded(durationS)}`,
    );
    report.figure(
      'overload: accepted per second, refused',
      `${Math.round(took.length / durationS)}, ${reports.map(({ refused }) => countsOf(refused)).join(' and ')}, ${lost} unanswered`,
    );
    report.figure(
      'overload: p50, p99 of accepted calls, p99 of refusals, ms',
      `${rounded(percentile(took, 0.5))}, ${rounded(acceptedMs)}, ` +
        `${reports.map(({ refusedP99Ms }) => rounded(refusedP99Ms)).join(' and ')}`,
    );
    chartOthers(report, 'overload', { quiet, during });
    report.figure(`overload: other tenants' latest, the ${sizes.overload.backSeconds} s after`, othersChart(back));
    report.figure('overload: seconds until normal again', secondsUntilNormal(back.good, Math.max(2 * quiet.p99Ms, sizes.p99FloorMs)));
  },
};

function secondsUntilNormal(good: readonly GoodCall[], mostMs: number): number {
  const slow = good.filter(({ tookMs }) => tookMs > mostMs).map(({ atMs }) => Math.floor(atMs / 1_000) + 1);
  return Math.max(0, ...slow);
}

const POSTED_MS_MAX = 15_000;

/**
 * After all attacks, with the gateways stopped: other tenants were charged once for each good answer, and the ledger's
 * invariants hold.
 */
async function judgeCredits({ edge, counted }: Scene, report: Report): Promise<void> {
  await edge.stopGateways();
  let charged = 0;
  let answered = 0;
  for (const [tenantId, { good, lost }] of counted) {
    const receipts = await receiptsOnceThere(edge.pool, tenantId, good, POSTED_MS_MAX);
    charged += receipts;
    answered += good;
    report.check(
      good <= receipts && receipts <= good + lost,
      `Tenant ${tenantId} got ${good} good answers, ${lost} calls were lost, and ${receipts} have receipts.`,
    );
  }
  const { entries, faults } = await auditLedger(edge.pool);
  report.fail(...faults);
  report.figure(
    'credits: good answers to other tenants, receipts; ledger entries, faults',
    `${answered}, ${charged}; ${entries}, ${faults.length}`,
  );
}

const AT_ONCE = [sendStrangeExpect, sendForeignHosts, leaveHalfClosed, readCrossSite, openPlainly, callWithoutCredential];

const smallDoors: Attack = {
  id: 'doors',
  async run(scene, context) {
    const results = await Promise.all(AT_ONCE.map((access) => runSuite({ run: (own) => access(scene, own) }, context)));
    for (const result of results) context.report.add(result);
    // Last, without other logins: it may fill the queue.
    await logInAtOnce(scene, context);
  },
};

const attacks: readonly Attack[] = [smallDoors, largeBodies, junkKeys, silentPeers, expensiveReads, allStreams, overload];

interface AttackRun {
  readonly sizes: AttackSizes;
  /** Maximum tries per attack while only timing checks fail; default 1. */
  readonly triesMax?: number;
}

async function runAttacks(context: SuiteContext, market: Market, { sizes, triesMax = 1 }: AttackRun): Promise<void> {
  const { report, only, say } = context;
  const chosen = attacks.filter(({ id }) => only === undefined || id === only);
  if (chosen.length === 0) throw new Error(`Unknown attack "${only}". Choose one of: ${attacks.map(({ id }) => id).join(', ')}.`);
  const scene = await openScene(context, market, sizes);

  const attempt = (attack: Attack): Promise<SuiteResult> =>
    runSuite({ run: (own) => attack.run(scene, own) }, context).catch(
      (error: Error): SuiteResult => ({ failures: [`${attack.id}: ${error.message}`], timing: [], figures: [] }),
    );

  for (const attack of chosen) {
    const startMs = performance.now();
    const result = await untilInTime(triesMax, () => attempt(attack));
    report.add(result);
    say(
      `${attack.id}: ${result.failures.length + result.timing.length} failed, after ${Math.round((performance.now() - startMs) / 1_000)} s`,
    );
  }
  await judgeCredits(scene, report);
}

/** `npm run verify -- edge`; `--only <attack>` runs one of them. */
export const attackSuite: Suite = {
  id: 'edge',
  claim: `a caller with one free key or none can neither stall the gateway nor starve other tenants: ${attacks.map(({ id }) => id).join(', ')}`,
  budget: { default: 1, counts: 'rounds of every attack, each on a fresh system' },
  short: { seed: 20_271_122, budget: 1, inTime: true },
  async run({ report, seed, budget, isShort, only, say }) {
    for (let round = 0; round < budget; round += 1)
      report.add(await runSuite({ run: attackOneMarket }, { seed: seed + round, budget: 1, isShort, only, say }));
  },
};

async function attackOneMarket(context: SuiteContext): Promise<void> {
  const { closer, isShort } = context;
  const market = await openMarket(closer, { withHistory: !isShort });
  await runAttacks(context, market, isShort ? { sizes: SHORT_SIZES, triesMax: 3 } : { sizes: LONG_SIZES });
}
