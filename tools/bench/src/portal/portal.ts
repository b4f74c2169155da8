import { setTimeout as delay } from 'node:timers/promises';
import { launchChromium, newVisitor, openPortalAccount, percentile, type PortalAccount, startSystem } from '@market-state/testing';
import type { Browser, BrowserContext } from 'playwright-core';
import { type BusyFront, openBusyFront, type Templates } from './busy-front';
import { compareCharts, type Mids } from './charts';
import { measuredPage, type MeasuredPage } from './page-figures';

const SYMBOL = 'BTCUSD-PERP';
const SLOWDOWN = 4;
const LOADS = 5;
const SETTLED_MS = 3_000;
const BUSY_MS = 20_000;
const RATES = { rows: 100, packets: 20 };
const HOUR = { messages: 360_000, afterFiveMinutes: 30_000, rates: { rows: 2_000, packets: 20 } };
const ROWS_MS = 120_000;
const ROWS_AGO_MS = 60_000;
const HOLE_MS = 250_000;
const MB = 1_000_000;

interface Bench {
  readonly browser: Browser;
  readonly account: PortalAccount;
  readonly front: BusyFront;
  readonly say: (line: string) => void;
}

export async function measurePortal(say: (line: string) => void): Promise<void> {
  const system = await startSystem({ settings: { FEED_HISTORY_MINUTES: '65' } });
  const browser = await launchChromium();
  try {
    const account = await openPortalAccount(system);
    const templates = await templatesFrom(browser, system.url, account);
    await compareCharts(browser, midsOf(templates.packets), HOLE_MS, say);
    const front = await openBusyFront(system.url, templates);
    const bench = { browser, account, front, say };
    try {
      await measureLoads(bench);
      await measureBusy(bench, '/live', { rows: 0, packets: RATES.packets });
      await measureBusy(bench, `/live/${SYMBOL}`, { rows: RATES.rows, packets: RATES.packets });
      await measureHour(bench);
    } finally {
      await front.close();
    }
  } finally {
    await browser.close();
    await system.stop();
  }
}

async function templatesFrom(browser: Browser, url: string, account: PortalAccount): Promise<Templates> {
  const context = await newVisitor({ browser, url, screen: 'desktop', scheme: 'dark', account });
  try {
    const read = async (path: string): Promise<{ rows: Record<string, unknown>[] }> => {
      const answer = await context.request.get(path);
      if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
      return answer.json();
    };
    const base = '/api/public/market-state';
    const toMs = Date.now() - ROWS_AGO_MS;
    const packets = await read(`${base}/history?symbol=${SYMBOL}&limit=360&view=compact`);
    const rows = await read(
      `${base}/workspace/data/replay/window?symbol=${SYMBOL}&channels=book,trades&start=${toMs - ROWS_MS}&end=${toMs}`,
    );
    if (packets.rows.length === 0 || rows.rows.length === 0) throw new Error('There are no packets or rows to repeat.');
    return { packets: packets.rows, rows: rows.rows };
  } finally {
    await context.close();
  }
}

function midsOf(packets: Templates['packets']): Mids {
  const priced = packets.filter(({ mid_price: mid }) => typeof mid === 'number');
  return {
    timesMs: priced.map(({ window_end_utc: end }) => Date.parse(String(end))),
    values: priced.map(({ mid_price: mid }) => Number(mid)),
  };
}

async function withPage(
  { browser, account, front }: Bench,
  path: string,
  slowdown: number,
  look: (measured: MeasuredPage) => Promise<void>,
): Promise<void> {
  const context: BrowserContext = await newVisitor({ browser, url: front.url, screen: 'desktop', scheme: 'dark', account });
  try {
    const measured = await measuredPage(await context.newPage(), slowdown);
    await measured.page.goto(path);
    await look(measured);
  } finally {
    await context.close();
  }
}

async function measureLoads(bench: Bench): Promise<void> {
  for (const [path, lcpMax] of [
    ['/', 1_500],
    ['/live', 1_800],
  ] as const) {
    const lcps: number[] = [];
    const shifts: number[] = [];
    const inputs: number[] = [];
    for (let load = 0; load < LOADS; load += 1)
      await withPage(bench, path, SLOWDOWN, async ({ page, figures }) => {
        await delay(SETTLED_MS);
        for (const key of ['?', 'Escape', '/', 'Escape']) {
          await page.keyboard.press(key);
          await delay(200);
        }
        const noted = await figures();
        lcps.push(noted.lcp);
        shifts.push(noted.cls);
        inputs.push(...noted.inputs);
      });
    bench.say(
      `${path}, processor ${SLOWDOWN} times slower, median of ${LOADS}: LCP ${median(lcps).toFixed(0)} ms (${lcpMax}), ` +
        `CLS ${median(shifts).toFixed(3)} (0.02), INP p75 ${percentile(inputs, 0.75).toFixed(0)} ms of ${inputs.length} inputs (150)`,
    );
  }
}

async function measureBusy(bench: Bench, path: string, rates: typeof RATES): Promise<void> {
  await withPage(bench, path, 1, async ({ figures, forget, busySeconds }) => {
    bench.front.setRates(rates);
    await delay(SETTLED_MS);
    await forget();
    const [busyBefore, sentBefore] = [await busySeconds(), bench.front.sent()];
    await delay(BUSY_MS);
    const busy = (await busySeconds()) - busyBefore;
    const { frames, tasks, drawsMax } = await figures();
    bench.say(
      `${path}, ${rates.rows} rows and ${rates.packets} packets a second (${((bench.front.sent() - sentBefore) / (BUSY_MS / 1_000)).toFixed(0)} sent): ` +
        `frame p95 ${percentile(frames, 0.95).toFixed(1)} ms (20), ${tasks.length} tasks over 50 ms (0), longest ${Math.max(0, ...tasks).toFixed(0)} ms, ` +
        `${drawsMax} draws of a pane between frames (1), main thread ${((100_000 * busy) / BUSY_MS).toFixed(0)} % (40)`,
    );
    bench.front.setRates({ rows: 0, packets: 0 });
  });
}

async function measureHour(bench: Bench): Promise<void> {
  await withPage(bench, `/live/${SYMBOL}`, 1, async ({ page, memory }) => {
    await delay(SETTLED_MS);
    const start = bench.front.sent();
    bench.front.setRates(HOUR.rates);
    const again = page.getByRole('button', { name: 'Try again' }).first();
    const until = async (messages: number): Promise<void> => {
      while (bench.front.sent() - start < messages) {
        await delay(100);
        // A stream ends at the page's credit limit, which is soon at these rates.
        if (await again.isVisible()) await again.click();
      }
    };
    await until(HOUR.afterFiveMinutes);
    const early = await memory();
    await until(HOUR.messages);
    bench.front.setRates({ rows: 0, packets: 0 });
    await delay(SETTLED_MS);
    const late = await memory();
    const growth = (100 * (late.heapBytes - early.heapBytes)) / early.heapBytes;
    bench.say(
      `an hour, ${HOUR.messages} messages: heap ${(late.heapBytes / MB).toFixed(1)} MB (120), ${growth.toFixed(1)} % more than after five minutes (5), ` +
        `${early.nodes} elements then and ${late.nodes} at the end`,
    );
  });
}

const median = (values: readonly number[]): number => percentile(values, 0.5);
