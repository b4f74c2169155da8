import type { Closer } from '@market-state/lifecycle';
import { type BlockRun, blocksOf, openReader } from '@market-state/testing';
import type { Report } from '../harness';
import type { ServedPage } from './served-pages';

const FIRST_ANSWER_MS_MAX = 120_000;
const QUICKSTART = '/docs/start/quickstart';
/** Pages that begin without a key. */
const KEYLESS = new Set(['/docs', QUICKSTART]);
/** Ways to a first answer, by the names of their tabs. */
const WAYS = ['curl', 'TypeScript', 'Python', 'Command line', 'MCP'];
/** Calls by their tabs on the pages of operations, which are made from the document. */
const MADE = /^\/docs\/reference\/operations\//;

/** Runs what every page says to run, as one reader would, and counts what it does not. */
export async function runBlocks(key: string, pages: readonly ServedPage[], report: Report, closer: Closer): Promise<void> {
  const reader = await openReader({ withPython: true });
  closer.add('reader', () => reader.close());
  const ran = new Map<string, number>();
  for (const { path, text } of pages) {
    const runs = await reader.read(text, KEYLESS.has(path) ? {} : { MARKET_STATE_API_KEY: key });
    for (const [at, run] of runs.entries()) {
      count(ran, run.block.language);
      const named = `${path}: block ${at + 1}, ${run.block.tab ?? run.block.language},`;
      report.check(run.exitCode === 0, `${named} ended with ${run.exitCode}: ${run.errors}`);
      report.check(
        run.output.trim() !== '' && !/\bundefined\b|"fault_total"|"code":"unauth|"isError":true/.test(run.output),
        `${named} printed ${run.output || 'nothing'}`,
      );
    }
    if (path === QUICKSTART) firstAnswers(runs, report);
  }
  const written = pages.filter(({ path }) => !MADE.test(path)).flatMap(({ text }) => blocksOf(text));
  const left = written.filter((block) => block.runs !== null && reader.leavesOut(block));
  report.check(left.length === 0, `${left.length} blocks of Python were not run: no interpreter here has what the client needs.`);
  report.figure('blocks that ran, by language', wordsOf(ran));
  const unrun = new Map<string, number>();
  for (const { unrun: why } of written) if (why !== null) count(unrun, why);
  report.figure('blocks that do not run, and why', wordsOf(unrun));
  report.figure('blocks that show what a terminal showed', written.filter(({ language }) => language === '').length);
  const other = written.filter(({ language, runs, unrun: why }) => language !== '' && runs === null && why === null);
  report.figure('blocks made from the document, of messages and errors', other.length);
  report.figure(
    'blocks made from the document, of operations',
    pages.filter(({ path }) => MADE.test(path)).reduce((sum, { text }) => sum + blocksOf(text).length, 0),
  );
}

/** From no key to the first answer: the key, what is installed for a way, and its call. */
function firstAnswers(runs: readonly BlockRun[], report: Report): void {
  const [key] = runs;
  for (const way of WAYS) {
    const own = runs.filter(({ block }) => block.tab === way);
    report.check(own.length > 0, `The quickstart has nothing that ran for ${way}.`);
    const tookMs = Math.round([key, ...own].reduce((sum, run) => sum + (run?.tookMs ?? 0), 0));
    report.figure(`first answer by ${way}, ms`, tookMs);
    report.checkTime(tookMs <= FIRST_ANSWER_MS_MAX, `From no key to a first answer by ${way} it took ${tookMs} ms.`);
  }
}

function count(counts: Map<string, number>, of: string): void {
  counts.set(of, (counts.get(of) ?? 0) + 1);
}

function wordsOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([of, total]) => `${of}: ${total}`).join('; ');
}
