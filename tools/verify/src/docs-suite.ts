import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import {
  axeFaults,
  findChromium,
  keyOfNewTenant,
  launchChromium,
  newVisitor,
  openPage,
  overhang,
  startSystem,
  waitUntil,
  type BlockRun,
  blocksOf,
  openReader,
} from '@market-state/testing';
import type { Browser } from 'playwright-core';
import { needsChromium, type Report, type Suite } from './harness';

interface ServedPage {
  readonly path: string;
  readonly html: string;
  readonly text: string;
}

/** Requests every page of the build from the server in both forms. @throws Error if one is not served */
async function pagesOf(url: string): Promise<readonly ServedPage[]> {
  const manifest = JSON.parse(readFileSync(join(workspaceRoot(), 'dist', 'docs', 'docs.json'), 'utf8')) as {
    readonly pages: readonly { readonly path: string }[];
  };
  const served: ServedPage[] = [];
  for (const { path } of manifest.pages)
    served.push({ path, html: await textOf(url + path, 'text/html'), text: await textOf(url + path, 'text/markdown') });
  return served;
}

async function textOf(address: string, accept: string): Promise<string> {
  const answer = await fetch(address, { headers: { accept } });
  if (answer.status !== 200) throw new Error(`${address} is ${answer.status}.`);
  return answer.text();
}

const FIRST_ANSWER_MS_MAX = 120_000;
const QUICKSTART = '/docs/start/quickstart';
const KEYLESS = new Set(['/docs', QUICKSTART]);
const WAYS = ['curl', 'TypeScript', 'Python', 'Command line', 'MCP'];
/** Operation pages, with tabs of calls generated from the document. */
const MADE = /^\/docs\/reference\/operations\//;

/** Runs every block that a page marks to run, as one reader would, and counts the skipped ones. */
async function runBlocks(key: string, pages: readonly ServedPage[], report: Report, closer: Closer): Promise<void> {
  const reader = await openReader({ withPython: true });
  closer.add('reader', () => reader.close());
  const ran = new Map<string, number>();
  for (const { path, text } of pages) {
    const runs = await reader.read(text, KEYLESS.has(path) ? {} : { MARKET_STATE_API_KEY: key });
    for (const [at, run] of runs.entries()) {
      count(ran, run.block.language);
      const named = `${path}: block ${at + 1}, ${run.block.tab ?? run.block.language},`;
      report.check(run.exitCode === 0, `${named} exited with ${run.exitCode}: ${run.errors}`);
      report.check(
        run.output.trim() !== '' && !/\bundefined\b|"fault_total"|"code":"unauth|"isError":true/.test(run.output),
        `${named} printed ${run.output || 'nothing'}`,
      );
    }
    if (path === QUICKSTART) firstAnswers(runs, report);
  }
  const written = pages.filter(({ path }) => !MADE.test(path)).flatMap(({ text }) => blocksOf(text));
  const left = written.filter((block) => block.runs !== null && reader.leavesOut(block));
  report.check(left.length === 0, `${left.length} Python blocks were not run: no Python here has the client's dependencies.`);
  report.figure('blocks run, by language', wordsOf(ran));
  const unrun = new Map<string, number>();
  for (const { unrun: why } of written) if (why !== null) count(unrun, why);
  report.figure('blocks not run, by reason', wordsOf(unrun));
  report.figure('blocks that show terminal output', written.filter(({ language }) => language === '').length);
  const other = written.filter(({ language, runs, unrun: why }) => language !== '' && runs === null && why === null);
  report.figure('blocks generated from the document, of messages and errors', other.length);
  report.figure(
    'blocks generated from the document, of operations',
    pages.filter(({ path }) => MADE.test(path)).reduce((sum, { text }) => sum + blocksOf(text).length, 0),
  );
}

function firstAnswers(runs: readonly BlockRun[], report: Report): void {
  const [key] = runs;
  for (const way of WAYS) {
    const own = runs.filter(({ block }) => block.tab === way);
    report.check(own.length > 0, `The quickstart has no block that ran for ${way}.`);
    const tookMs = Math.round([key, ...own].reduce((sum, run) => sum + (run?.tookMs ?? 0), 0));
    report.figure(`first answer by ${way}, ms`, tookMs);
    report.checkTime(tookMs <= FIRST_ANSWER_MS_MAX, `A first answer by ${way} without a key took ${tookMs} ms.`);
  }
}

function count(counts: Map<string, number>, of: string): void {
  counts.set(of, (counts.get(of) ?? 0) + 1);
}

function wordsOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([of, total]) => `${of}: ${total}`).join('; ');
}

const HISTORY_MINUTES = '65';
/** One address requests every page several times. */
const NO_LIMIT_ON_FILES = { STATIC_RATE_PER_MINUTE: '100000', STATIC_BURST: '100000' };
const SCREENS = ['desktop', 'phone'] as const;
const SCHEMES = ['light', 'dark'] as const;

export const docsSuite: Suite = {
  id: 'docs',
  claim:
    'every block of the documentation that is marked to run succeeds unchanged; starting without a key, a first answer takes less than two ' +
    'minutes with curl, TypeScript, Python, the command line and as an agent; every link resolves; every page has its text; axe, the browser and the content security policy find no fault on any page',
  budget: { default: 1_000, counts: 'maximum pages checked in Chromium' },
  short: { seed: 1, budget: 8 },
  needs: [needsChromium],
  async run({ closer, report, budget, say }) {
    const system = await startSystem({ settings: { FEED_HISTORY_MINUTES: HISTORY_MINUTES, ...NO_LIMIT_ON_FILES } });
    closer.add('system', () => system.stop());
    const pages = await waitUntil('the pages', () => pagesOf(system.url));
    report.figure('pages', pages.length);
    await checkLinks(system.url, pages, report);
    say('following links');

    await runBlocks(await keyOfNewTenant(system), pages, report, closer);
    say('running blocks');

    report.check(findChromium() !== null, 'Chromium is not on PATH, so no page was checked.');
    if (findChromium() === null) return;
    const browser = await launchChromium();
    closer.add('browser', () => browser.close());
    const looked = await lookAt(browser, system.url, pages.slice(0, budget), report);
    report.figure('pages checked', looked);
  },
};

async function checkLinks(url: string, pages: readonly ServedPage[], report: Report): Promise<void> {
  const targets = new Map<string, string>();
  for (const { path, html } of pages)
    for (const [, link = ''] of html.matchAll(/\shref="(\/[^"#]*)/g)) if (!targets.has(link)) targets.set(link, path);
  const dead: string[] = [];
  for (const [link, from] of targets) {
    const answer = await fetch(url + link.replaceAll('&amp;', '&'));
    await answer.arrayBuffer();
    if (answer.status !== 200) dead.push(`${from} links to ${link}, which is ${answer.status}`);
  }
  report.figure('link targets', targets.size);
  report.fail(...dead);
}

async function lookAt(browser: Browser, url: string, pages: readonly ServedPage[], report: Report): Promise<number> {
  for (const screen of SCREENS)
    for (const scheme of SCHEMES) {
      const own = pages.filter((_, at) => SCREENS[at % 2] === screen && SCHEMES[Math.floor(at / 2) % 2] === scheme);
      const context = await newVisitor({ browser, url, screen, scheme });
      for (const { path } of own) {
        const { page, complaints } = await openPage(context, url, path);
        const faults = [...(await axeFaults(page)), ...complaints];
        const over = await overhang(page);
        report.fail(...faults.map((fault) => `${path}, ${screen}, ${scheme}: ${fault}`));
        report.check(over === 0, `${path} overflows a ${screen} by ${over} px.`);
        await page.close();
      }
      await context.close();
    }
  return pages.length;
}
