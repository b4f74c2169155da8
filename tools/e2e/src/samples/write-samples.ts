import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { launchChromium, newVisitor, openPortalAccount, pathOf, PORTAL_PAGES, waitUntil } from '@market-state/testing';
import type { BrowserContext, Request } from 'playwright-core';
import { recordSystem, type RunningSystem } from '../system/default-system';
import { type RecordedAnswer, shrink } from './shrink';

const FOLDER = join(workspaceRoot(), 'apps', 'portal', 'src', 'sample', 'answers');
const API = '/api/public/market-state';
const SYMBOL = 'BTCUSD-PERP';
/** Query of a page that starts with a form, and text of its results. */
const SEARCH = { pattern: '/search', query: '?symbol=ALL', words: 'Narrow by' };
/** The page verifies digests of these answers, which moved times would break. */
const EXACT = '/packet/:event_id';
/** Polled for its progress; a sample has none. */
const LEFT_OUT = /\/readyz$/;

/** A page has loaded once it has requested nothing for this long. */
const QUIET_MS = 3_000;

const fileOf = (pattern: string): string => `${pattern === '/live/:symbol' ? 'symbol' : (pattern.split('/')[1] ?? '')}.json`;

interface History {
  readonly rows: readonly { readonly window_end_utc: string }[];
}

/** Creates an alert and an export for the pages that list them. */
async function createListed(context: BrowserContext): Promise<void> {
  const headers = { 'sec-fetch-site': 'same-origin' };
  const rule = { kind: 'severity_at_least', params: { severity_class: 'high_context' }, cooldown_seconds: 60, min_consecutive: 2 };
  const made = await context.request.post(`${API}/alerts`, { headers, data: { name: 'Severe context in BTC', symbol: SYMBOL, rule } });
  if (!made.ok()) throw new Error(`The alert was not created: ${made.status()} ${await made.text()}`);
  const toMs = Date.now();
  const data = { dataset: 'trades', symbols: [SYMBOL], from: String(toMs - 3_600_000), to: String(toMs) };
  const jobs = `${API}/workspace/data/export/jobs`;
  const placed = await context.request.post(jobs, { headers, data });
  if (!placed.ok()) throw new Error(`The export was not ordered: ${placed.status()} ${await placed.text()}`);
  const { job_id: jobId } = (await placed.json()) as { job_id: string };
  await waitUntil('the export', async () => (await (await context.request.get(`${jobs}/${jobId}`)).json()).status === 'ready');
}

/** The JSON answers that a page got until it showed `words` and was idle, each once, in a fixed order. */
async function answersOf(context: BrowserContext, path: string, words: string): Promise<readonly RecordedAnswer[]> {
  const page = await context.newPage();
  const answers = new Map<string, Promise<RecordedAnswer>>();
  const pending = new Set<Request>();
  let quietFromMs = performance.now();
  const end = (request: Request): void => {
    if (pending.delete(request)) quietFromMs = performance.now();
  };
  page.on('request', (request) => {
    if (request.headers()['accept'] !== 'text/event-stream') pending.add(request);
  });
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  page.on('response', (response) => {
    const { pathname, searchParams } = new URL(response.url());
    const type = response.headers()['content-type'] ?? '';
    if (!/^\/(?:api|\.well-known)\//.test(pathname) || LEFT_OUT.test(pathname) || !response.ok() || !type.startsWith('application/json'))
      return;
    const [symbol, view] = [searchParams.get('symbol'), searchParams.get('view')];
    const key = [pathname, symbol, view].join(' ');
    const known = answers.get(key);
    const read = response
      .json()
      .then((body: unknown) => ({ path: pathname, ...(symbol !== null && { symbol }), ...(view !== null && { view }), body }));
    answers.set(key, known === undefined ? read : Promise.all([known, read]).then(([first, next]) => merged(first, next)));
  });
  await page.goto(path);
  await page.getByText(words).first().waitFor();
  while (pending.size > 0 || performance.now() < quietFromMs + QUIET_MS) await page.waitForTimeout(QUIET_MS / 10);
  const found = await Promise.all([...answers].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, answer]) => answer));
  await page.close();
  return found.map(shrink);
}

/** One answer for all pages and spans of a history, each packet once. */
function merged(first: RecordedAnswer, next: RecordedAnswer): RecordedAnswer {
  if (!first.path.endsWith('/history')) return first;
  const [one, other] = [first.body, next.body] as readonly [History, History];
  const rows = new Map([...one.rows, ...other.rows].map((row) => [row.window_end_utc, row]));
  const sorted = [...rows.values()].sort((a, b) => (a.window_end_utc > b.window_end_utc ? -1 : 1));
  return { ...first, body: { ...one, rows: sorted, row_total: sorted.length, next_cursor: null } };
}

async function writeSamples(system: RunningSystem, only: readonly string[] | undefined): Promise<void> {
  const account = await openPortalAccount(system);
  const browser = await launchChromium();
  try {
    const context = await newVisitor({ browser, url: system.url, screen: 'desktop', scheme: 'dark', account });
    await createListed(context);
    const history = await context.request.get(`${API}/history?symbol=${SYMBOL}&limit=50`);
    const { rows } = (await history.json()) as { rows: readonly { event_id: string }[] };
    for (const { pattern, isOpen, words } of PORTAL_PAGES) {
      const file = fileOf(pattern);
      if (isOpen || only?.includes(file.replace('.json', '')) === false) continue;
      const path = pathOf(pattern, { symbol: SYMBOL, eventId: rows[20]?.event_id ?? '', shareId: '' });
      const answers =
        pattern === SEARCH.pattern
          ? await answersOf(context, `${path}${SEARCH.query}`, SEARCH.words)
          : await answersOf(context, path, words);
      const sample = { recorded_utc: new Date().toISOString(), ...(pattern === EXACT && { exact: true }), answers };
      const text = JSON.stringify(sample);
      writeFileSync(join(FOLDER, file), text);
      console.log(`${file}: ${answers.length} answers, ${text.length} characters`);
    }
  } finally {
    await browser.close();
  }
}

await recordSystem(writeSamples);
