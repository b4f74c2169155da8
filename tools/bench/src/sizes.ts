import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSystem, takeTemporaryFolder, workspaceRoot } from '@market-state/launcher';
import { delay, timeLimit } from '@market-state/lifecycle';
import { readRoutes } from './reads/read-routes';

const READY_LIMIT_MS = 300_000;
const ASK_MS = 30_000;
const DATA = '/api/public/data';
const SYMBOLS = ['BTCUSD-PERP', 'SIMUSD-PERP'];
const CHANNELS = ['book', 'trades', 'context', 'liquidations', 'control', 'packets'];
/** The simulated market's script has liquidations from its fifth minute on. */
const FORCED_CLOSES_MS = 600_000;
const FORCED_CLOSES = 20;
const ASK_EVERY_MS = 5_000;
/** Lists that hold an answer's rows; for a paged answer its only list. */
const ROW_LISTS = ['rows', 'packets', 'receipts', 'bids', 'asks'];
const QUERIES: Readonly<Record<string, string>> = { depth: '100', limit: '100', replay_window_seconds: '1800' };

interface Measured {
  readonly bytes: number;
  readonly rows: number;
  readonly rowBytes: number;
}

interface OperationFacts {
  readonly operationId: string;
  readonly parameters: readonly ({ readonly name: string } | { readonly $ref: string })[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationFacts | undefined>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, { readonly name: string }>> };
}

type Body = Readonly<Record<string, unknown>>;

export async function measureSizes(say: (line: string) => void): Promise<void> {
  const { path: dataDir, remove } = takeTemporaryFolder();
  const system = await startSystem({ dataDir, settings: { FEED: 'recording,simulated', FEED_HISTORY_MINUTES: '30' } });
  try {
    await system.ready(timeLimit(READY_LIMIT_MS));
    const key = await system.demoKey();
    const ask = asking(system.url, key);
    const limit = timeLimit(FORCED_CLOSES_MS);
    while (!limit.aborted && totalOf(await ask(`${DATA}/liquidations/context?symbol=SIMUSD-PERP`)) < FORCED_CLOSES)
      await delay(ASK_EVERY_MS, limit);
    await writeSizes(system.url, key, say);
  } finally {
    await system.stop();
    remove();
  }
}

/** Writes `libs/domain/pricing/data/answer-sizes.json`, from which `usage/estimate` estimates bytes. */
async function writeSizes(url: string, key: string, say: (line: string) => void): Promise<void> {
  const ask = asking(url, key);
  const answers = await answersOf(url, key, ask);
  const channels = await channelsOf(ask);
  const measured = {
    source: 'sizes measured beforehand on the bundled recording and the simulated market (npm run bench -- sizes)',
    answers,
    channel_row_bytes: channels,
    message_bytes: await messageBytes(ask),
  };
  const file = join(workspaceRoot(), 'libs/domain/pricing/data/answer-sizes.json');
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
  say(`${Object.keys(answers).length} answers, ${JSON.stringify(channels)} bytes per row, ${measured.message_bytes} around one; ${file}`);
}

function totalOf(text: string): number {
  return (JSON.parse(text) as { event_total: number }).event_total;
}

type Ask = (address: string) => Promise<string>;

function asking(url: string, key: string): Ask {
  return async (address) => {
    const response = await fetch(url + address, { headers: { 'x-market-state-api-key': key }, signal: timeLimit(ASK_MS) });
    if (!response.ok) throw new Error(`${address} answers ${response.status}: ${await response.text()}`);
    return response.text();
  };
}

/** Mean of every read over the symbols; one entry per view. */
async function answersOf(url: string, key: string, ask: Ask) {
  const { paths, components } = JSON.parse(await ask('/openapi.json')) as Document;
  const entries: (readonly [string, ReturnType<typeof sizeOf>])[] = [];
  for (const { path, address, isPublic } of await readRoutes(url, key)) {
    const operation = paths[path]?.['get'];
    if (operation === undefined || isPublic || path.includes('/workspace/')) continue;
    const names = operation.parameters.map((parameter) =>
      'name' in parameter ? parameter.name : components.parameters[parameter.$ref.slice(parameter.$ref.lastIndexOf('/') + 1)]?.name,
    );
    const views = names.includes('view') ? ['packet', 'compact'] : [''];
    for (const view of views) {
      const bodies: Measured[] = [];
      for (const symbol of names.includes('symbol') && !path.includes('{event_id}') ? SYMBOLS : ['']) {
        const requested = new URL(address, 'http://any');
        for (const name of ['start', 'end']) requested.searchParams.delete(name);
        for (const [name, value] of Object.entries(QUERIES)) if (names.includes(name)) requested.searchParams.set(name, value);
        if (symbol !== '') requested.searchParams.set('symbol', symbol);
        if (view !== '') requested.searchParams.set('view', view);
        // A new symbol has no packet that is ten minutes old.
        const isYoung = symbol !== SYMBOLS[0] && path.includes('proof-browser');
        if (!isYoung) bodies.push(measure(await ask(`${requested.pathname}${requested.search}`)));
      }
      entries.push([view === '' ? operation.operationId : `${operation.operationId} ${view}`, sizeOf(bodies)]);
    }
  }
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function measure(text: string): Measured {
  const body = JSON.parse(text) as Body;
  const isPaged = 'next_cursor' in body;
  const lists = Object.entries(body).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  const named = lists.filter(([name]) => ROW_LISTS.includes(name));
  const rows = (named.length > 0 ? named : isPaged ? lists.slice(0, 1) : []).flatMap(([, list]) => list);
  return { bytes: Buffer.byteLength(text), rows: rows.length, rowBytes: rows.reduce<number>((sum, row) => sum + bytesOf(row), 0) };
}

/** Including the comma. */
function bytesOf(row: unknown): number {
  return Buffer.byteLength(JSON.stringify(row)) + 1;
}

function sizeOf(measured: readonly Measured[]) {
  const sum = (of: 'bytes' | 'rows' | 'rowBytes'): number => measured.reduce((total, each) => total + each[of], 0);
  const rows = sum('rows');
  return {
    answer_bytes: Math.round((sum('bytes') - sum('rowBytes')) / measured.length),
    row_bytes: rows === 0 ? null : Math.round(sum('rowBytes') / rows),
  };
}

async function channelsOf(ask: Ask) {
  const entries: [string, number][] = [];
  for (const channel of CHANNELS) {
    const pages: Measured[] = [];
    for (const symbol of SYMBOLS) pages.push(measure(await ask(`${DATA}/replay/window?symbol=${symbol}&channels=${channel}`)));
    const rows = pages.reduce((sum, page) => sum + page.rows, 0);
    if (rows > 0) entries.push([channel, Math.round(pages.reduce((sum, page) => sum + page.rowBytes, 0) / rows)]);
  }
  return Object.fromEntries(entries);
}

async function messageBytes(ask: Ask): Promise<number> {
  const text = await ask(`${DATA}/stream/replay?symbol=${SYMBOLS[0]}&channels=trades&speed=max`);
  const messages = text.split('\n\n').filter((message) => message.includes('\nevent: row\n'));
  const around = messages.map(
    (message) => Buffer.byteLength(message) + 2 - Buffer.byteLength(message.slice(message.indexOf('\ndata: ') + 7)),
  );
  return Math.round(around.reduce((sum, bytes) => sum + bytes, 0) / around.length);
}
