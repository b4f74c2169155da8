import { setTimeout as delay } from 'node:timers/promises';
import type { EdgeTenant } from '../edge/office';
import { TRADES } from '../edge/routes';
import { ask, codeOf, statusesOf } from './ask';
import type { Attack } from './attack';
import { quantile } from './load/load-order';
import { countsOf, judgeOthers, othersFigure, rounded, startOthers, watchQuiet } from './others';
import { WINDOW } from './paths';
import { type ProcessMetrics, readProcessMetrics } from './process-metrics';
import type { Scene } from './scene';

const TRIALS = 3;
const HOUR_MS = 3_600_000;
const GROWTH_BYTES_MAX = 128 * 1_024 * 1_024;
const SAMPLE_MS = 200;
/** After the last answer a service has so long to put its work down. */
const IDLE_AFTER_MS = 2_000;
const CHEAP_EVERY_MS = 100;
const MIB = 1_024 * 1_024;

/** Trials that each ask for an hour of rows many times at once. */
export const expensiveReads: Attack = {
  id: 'reads',
  async run(scene) {
    const { gateway, market, edge, sizes } = scene;
    const reader = await edge.office.tenant('cheap reader', 'public_pro');
    const trials: EdgeTenant[] = [];
    for (let at = 0; at < TRIALS; at += 1) trials.push(await edge.office.tenant(`expensive ${at}`, 'trial'));
    const services = [gateway.opsUrl, market.dataPlaneOpsUrl];
    const quiet = await watchQuiet(scene);
    const quietCheap = await readCheaply(scene, reader, delay(1_000 * sizes.quietSeconds));
    const before = await Promise.all(services.map(readProcessMetrics));
    const busyBefore = await busyOf(services, sizes.reads.idleSeconds);
    const others = startOthers(scene);
    const memory = watchMemory(gateway.opsUrl);
    try {
      const window = `${WINDOW}&start=${Date.now() - HOUR_MS}&end=${Date.now()}`;
      const sentMs = performance.now();
      const burst = Promise.all(
        trials.flatMap(({ key }, tenant) =>
          Array.from({ length: sizes.reads.calls }, (_, at) =>
            ask(`${gateway.url}${window}`, {
              from: `127.0.3.${tenant * 10 + (at % 5) + 1}`,
              headers: { 'x-market-state-api-key': key },
              timeoutMs: 90_000,
            }),
          ),
        ),
      );
      const cheap = await readCheaply(scene, reader, burst);
      const answers = await burst;
      const tookMs = performance.now() - sentMs;
      const during = await others.stop();
      await delay(IDLE_AFTER_MS);
      const busyAfter = await busyOf(services, sizes.reads.idleSeconds);
      const mostBytes = await memory.stop();
      const judged = judgeOthers(scene, 'Expensive reads', quiet, during);
      const grownBytes = mostBytes - (before[0]?.residentBytes ?? 0);
      const strange = answers.filter((answer) => answer === null || (answer.status !== 200 && answer.status !== 429));
      const atOnce = answers.filter((answer) => codeOf(answer) === 'too_many_calls_at_once');
      const good = answers.filter((answer) => answer?.status === 200);
      const [cheapMs, cheapMostMs] = [quantile(cheap.tookMs, 0.99), sizes.reads.cheapP99MsMax];
      return {
        failures: [
          ...judged.failures,
          ...(strange.length === 0
            ? []
            : [`Expensive reads: ${strange.length} were answered otherwise than well or by 429: ${countsOf(statusesOf(strange))}.`]),
          ...(atOnce.length > 0 ? [] : ['Expensive reads: none was refused as too many at once.']),
          ...(good.length >= TRIALS ? [] : [`Expensive reads: ${good.length} were answered well.`]),
          ...(cheap.bad === 0 ? [] : [`Expensive reads: ${cheap.bad} cheap reads of another tenant were refused.`]),
          ...(grownBytes <= GROWTH_BYTES_MAX ? [] : [`Expensive reads: the gateway grew by ${Math.round(grownBytes / MIB)} MiB.`]),
        ],
        timing: [
          ...judged.timing,
          ...(cheapMs <= cheapMostMs
            ? []
            : [
                `Expensive reads: cheap reads of another tenant have a p99 of ${rounded(cheapMs)} ms, of ` +
                  `${rounded(cheapMostMs)} ms at most.`,
              ]),
          ...busyAfter.flatMap((share, at) =>
            share <= (busyBefore[at] ?? 0) + sizes.reads.idleShareMore
              ? []
              : [
                  `Expensive reads: ${at === 0 ? 'the gateway' : 'the data plane'} still works when every answer is there: ` +
                    `${rounded(share * 100)} % of a core, before ${rounded((busyBefore[at] ?? 0) * 100)} %.`,
                ],
          ),
        ],
        figures: [
          [
            'expensive reads: at once, good, refused as too many at once, others',
            `${answers.length}, ${good.length}, ${atOnce.length}, ` +
              `${countsOf(statusesOf(answers.filter((answer) => answer?.status !== 200 && codeOf(answer) !== 'too_many_calls_at_once')))}`,
          ],
          ['expensive reads: last answer after, s', rounded(tookMs / 1_000)],
          [
            'expensive reads: memory of the gateway, MiB: before, most',
            `${Math.round((before[0]?.residentBytes ?? 0) / MIB)}, ${Math.round(mostBytes / MIB)}`,
          ],
          [
            'expensive reads: cheap reads of another tenant, p99 ms: quiet, meanwhile',
            `${rounded(quantile(quietCheap.tookMs, 0.99))}, ${rounded(cheapMs)} (${cheap.tookMs.length} good, ${cheap.bad} not)`,
          ],
          [
            'expensive reads: processor time after, % of a core: gateway, data plane (before)',
            busyAfter.map((share, at) => `${rounded(share * 100)} (${rounded((busyBefore[at] ?? 0) * 100)})`).join(', '),
          ],
          ['expensive reads: latest of others, quiet', othersFigure(quiet)],
          ['expensive reads: latest of others, meanwhile', othersFigure(during)],
        ],
      };
    } finally {
      await memory.stop();
      await others.stop();
    }
  },
};

/** Reads the newest trades, one call each 100 ms, until the work is done. */
async function readCheaply(
  { gateway }: Scene,
  { key }: EdgeTenant,
  work: Promise<unknown>,
): Promise<{ readonly tookMs: readonly number[]; readonly bad: number }> {
  let isDone = false;
  const ended = work.finally(() => (isDone = true));
  const reads: Promise<number | null>[] = [];
  do {
    reads.push(
      ask(`${gateway.url}${TRADES}&limit=10`, { headers: { 'x-market-state-api-key': key } }).then((answer) =>
        answer?.status === 200 ? answer.endMs - answer.sentMs : null,
      ),
    );
    await delay(CHEAP_EVERY_MS);
  } while (!isDone);
  await ended;
  const took = await Promise.all(reads);
  return { tookMs: took.filter((ms) => ms !== null), bad: took.filter((ms) => ms === null).length };
}

/** The share of a core that each service takes over so many seconds. */
async function busyOf(opsUrls: readonly string[], idleSeconds: number): Promise<number[]> {
  const read = (): Promise<ProcessMetrics[]> => Promise.all(opsUrls.map(readProcessMetrics));
  const [from, sinceMs] = [await read(), performance.now()];
  await delay(idleSeconds * 1_000);
  const to = await read();
  const seconds = (performance.now() - sinceMs) / 1_000;
  return to.map(({ cpuSeconds }, at) => (cpuSeconds - (from[at]?.cpuSeconds ?? 0)) / seconds);
}

/** The most memory that a process was seen to take; `stop` may be called again. */
function watchMemory(opsUrl: string): { stop(): Promise<number> } {
  let mostBytes = 0;
  let stopped = false;
  async function watch(): Promise<void> {
    while (!stopped) {
      mostBytes = Math.max(mostBytes, (await readProcessMetrics(opsUrl)).residentBytes);
      await delay(SAMPLE_MS);
    }
  }
  const watching = watch();
  return {
    async stop() {
      stopped = true;
      await watching;
      return mostBytes;
    },
  };
}
