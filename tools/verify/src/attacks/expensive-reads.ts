import { setTimeout as delay } from 'node:timers/promises';
import { repeatUntilClosed } from '@market-state/lifecycle';
import {
  atOnce,
  callOnce,
  countsOf,
  errorCodeOf,
  percentile,
  readProcessMetrics,
  rounded,
  statusesOf,
  type Tenant,
} from '@market-state/testing';
import { TRADES } from '../edge/edge';
import type { SuiteContext } from '../harness';
import { type Attack, type Scene, WINDOW } from './scene';
import { chartOthers, judgeOthers, startOthers, watchQuiet } from './others';

const TRIALS = 3;
const HOUR_MS = 3_600_000;
const GROWTH_BYTES_MAX = 128 * 1_024 * 1_024;
const SAMPLE_MS = 200;
/** Time after the last answer for a service to become idle. */
const IDLE_AFTER_MS = 2_000;
const CHEAP_EVERY_MS = 100;
const MIB = 1_024 * 1_024;

export const expensiveReads: Attack = {
  id: 'reads',
  async run(scene, context) {
    const { gateway, market, edge, sizes } = scene;
    const { report } = context;
    const reader = await edge.tenants.create({ name: 'cheap reader', planId: 'public_pro' });
    const trials = await atOnce(TRIALS, (at) => edge.tenants.create({ name: `expensive ${at}`, planId: 'trial' }));
    const services = [gateway.process, { opsUrl: market.dataPlaneOpsUrl }];
    const quiet = await watchQuiet(scene, context);
    const quietCheap = await readCheaply(scene, reader, delay(1_000 * sizes.quietSeconds));
    const { residentBytes: beforeBytes } = await readProcessMetrics(gateway.process);
    const busyBefore = await busyOf(services, sizes.reads.idleSeconds);
    const others = startOthers(scene, context);
    const mostBytes = watchMemory(context, gateway.process);
    const nowMs = Date.now();
    const window = `${WINDOW}&start=${nowMs - HOUR_MS}&end=${nowMs}`;
    const sentMs = performance.now();
    const burst = atOnce(TRIALS * sizes.reads.calls, (at) => {
      const tenant = Math.floor(at / sizes.reads.calls);
      const from = `127.0.3.${tenant * 10 + ((at % sizes.reads.calls) % 5) + 1}`;
      return callOnce(`${gateway.url}${window}`, { key: trials[tenant]?.key, from, timeoutMs: 90_000 });
    });
    const cheap = await readCheaply(scene, reader, burst);
    const answers = await burst;
    const tookMs = performance.now() - sentMs;
    const during = await others.stop();
    await delay(IDLE_AFTER_MS);
    const busyAfter = await busyOf(services, sizes.reads.idleSeconds);
    const grownBytes = mostBytes() - beforeBytes;
    const strange = answers.filter((answer) => answer?.status !== 200 && answer?.status !== 429);
    const isAtOnce = (answer: (typeof answers)[number]): boolean => errorCodeOf(answer) === 'too_many_calls_at_once';
    const atOnceTotal = answers.filter(isAtOnce).length;
    const goodTotal = answers.filter((answer) => answer?.status === 200).length;
    const [cheapMs, cheapMostMs] = [percentile(cheap.tookMs, 0.99), sizes.reads.cheapP99MsMax];

    judgeOthers(report, 'Expensive reads', { sizes, quiet, during });
    report.check(
      strange.length === 0,
      `Expensive reads: ${strange.length} got neither a good answer nor 429: ${countsOf(statusesOf(strange))}.`,
    );
    report.check(atOnceTotal > 0, 'Expensive reads: the concurrency limit refused none.');
    report.check(goodTotal >= TRIALS, `Expensive reads: ${goodTotal} succeeded.`);
    report.check(cheap.bad === 0, `Expensive reads: ${cheap.bad} cheap reads of another tenant were refused.`);
    report.check(grownBytes <= GROWTH_BYTES_MAX, `Expensive reads: the gateway's memory grew by ${Math.round(grownBytes / MIB)} MiB.`);
    report.checkTime(
      cheapMs <= cheapMostMs,
      `Expensive reads: cheap reads of another tenant have a p99 of ${rounded(cheapMs)} ms; the limit is ${rounded(cheapMostMs)} ms.`,
    );
    for (const [at, share] of busyAfter.entries())
      report.checkTime(
        share <= (busyBefore[at] ?? 0) + sizes.reads.idleShareMore,
        `Expensive reads: ${at === 0 ? 'the gateway' : 'the data plane'} is still busy after the last answer: ` +
          `${rounded(share * 100)} % of a core, ${rounded((busyBefore[at] ?? 0) * 100)} % before.`,
      );
    report.figure(
      'expensive reads: concurrent, good, refused by the concurrency limit, others',
      `${answers.length}, ${goodTotal}, ${atOnceTotal}, ` +
        `${countsOf(statusesOf(answers.filter((answer) => answer?.status !== 200 && !isAtOnce(answer))))}`,
    );
    report.figure('expensive reads: last answer after, s', rounded(tookMs / 1_000));
    report.figure(
      'expensive reads: gateway memory, MiB: before, peak',
      `${Math.round(beforeBytes / MIB)}, ${Math.round(mostBytes() / MIB)}`,
    );
    report.figure(
      "expensive reads: another tenant's cheap reads, p99 ms: quiet, during the attack",
      `${rounded(percentile(quietCheap.tookMs, 0.99))}, ${rounded(cheapMs)} (${cheap.tookMs.length} good, ${cheap.bad} not)`,
    );
    report.figure(
      'expensive reads: processor time after, % of a core: gateway, data plane (before)',
      busyAfter.map((share, at) => `${rounded(share * 100)} (${rounded((busyBefore[at] ?? 0) * 100)})`).join(', '),
    );
    chartOthers(report, 'expensive reads', { quiet, during });
  },
};

async function readCheaply(
  { gateway }: Scene,
  { key }: Tenant,
  work: Promise<unknown>,
): Promise<{ readonly tookMs: readonly number[]; readonly bad: number }> {
  let isDone = false;
  const ended = work.finally(() => (isDone = true));
  const reads: Promise<number | null>[] = [];
  do {
    reads.push(
      callOnce(`${gateway.url}${TRADES}&limit=10`, { key }).then((answer) =>
        answer?.status === 200 ? answer.endMs - answer.sentMs : null,
      ),
    );
    await delay(CHEAP_EVERY_MS);
  } while (!isDone);
  await ended;
  const took = await Promise.all(reads);
  return { tookMs: took.filter((ms) => ms !== null), bad: took.filter((ms) => ms === null).length };
}

interface Watched {
  readonly opsUrl: string;
}

async function busyOf(services: readonly Watched[], idleSeconds: number): Promise<number[]> {
  const read = () => Promise.all(services.map(readProcessMetrics));
  const [from, sinceMs] = [await read(), performance.now()];
  await delay(idleSeconds * 1_000);
  const to = await read();
  const seconds = (performance.now() - sinceMs) / 1_000;
  return to.map(({ cpuSeconds }, at) => (cpuSeconds - (from[at]?.cpuSeconds ?? 0)) / seconds);
}

function watchMemory({ closer }: SuiteContext, service: Watched): () => number {
  let mostBytes = 0;
  let failure: unknown;
  const watch = repeatUntilClosed(
    async () => {
      mostBytes = Math.max(mostBytes, (await readProcessMetrics(service)).residentBytes);
    },
    { intervalMs: SAMPLE_MS, onError: (error) => (failure ??= error) },
  );
  closer.add('memory', () => watch.close());
  return () => {
    if (failure !== undefined) throw failure;
    return mostBytes;
  };
}
