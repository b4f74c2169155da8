import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { measuredPage } from './page-figures';

export interface Mids {
  readonly timesMs: readonly number[];
  readonly values: readonly number[];
}

const SIZE = { width: 1_000, height: 260 };
const MOVING_MS = 5_000;
const MB = 1_000_000;

interface Drawer {
  readonly name: string;
  readonly source: string;
  /** Defines `draw(mids)` and `canvasOf()` in the page. */
  readonly script: string;
}

const UPLOT: Drawer = {
  name: 'uPlot 1.6.32, as the portal draws',
  source: `export { default as uPlot } from 'uplot';`,
  script: `
    const chart = new library.uPlot({
      width: ${SIZE.width}, height: ${SIZE.height}, ms: 1, legend: { show: false }, cursor: { show: false },
      axes: [{ show: false }, { show: false }],
      series: [{}, { stroke: '#f00', width: 2, points: { show: false } }],
    }, [[], []], document.body);
    globalThis.canvasOf = () => chart.ctx.canvas;
    globalThis.draw = ({ timesMs, values }) => {
      const [x, y] = [[], []];
      timesMs.forEach((time, at) => {
        x.push(time); y.push(values[at]);
        if (timesMs[at + 1] > time + 10_000) { x.push(time + 1); y.push(null); }
      });
      chart.setData([x, y]);
    };`,
};

/** @param isSpaced fills gaps with white space points every ten seconds */
function lightweight(isSpaced: boolean): Drawer {
  return {
    name: `lightweight-charts 5.2.1${isSpaced ? ', with white space for what is missing' : ''}`,
    source: `export { createChart, LineSeries } from 'lightweight-charts';`,
    script: `
      const { createChart, LineSeries } = library;
      const chart = createChart(document.body, {
        width: ${SIZE.width}, height: ${SIZE.height}, timeScale: { visible: false }, rightPriceScale: { visible: false },
        grid: { vertLines: { visible: false }, horzLines: { visible: false } }, layout: { attributionLogo: false },
      });
      const line = chart.addSeries(LineSeries, { color: '#f00', lineWidth: 2, priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false });
      globalThis.canvasOf = () => chart.takeScreenshot();
      globalThis.draw = ({ timesMs, values }) => {
        const points = [];
        timesMs.forEach((time, at) => {
          points.push({ time: time / 1000, value: values[at] });
          if (${isSpaced}) for (let next = time + 10_000; next < timesMs[at + 1]; next += 10_000) points.push({ time: next / 1000 });
        });
        line.setData(points);
        chart.timeScale().fitContent();
      };`,
  };
}

/** Columns between the ends of the line, and the longest run of blank ones. */
const BLANK = `(() => {
  const { width, height, data } = (({ width, height }, canvas) => canvas.getContext('2d').getImageData(0, 0, width, height))(canvasOf(), canvasOf());
  const inked = Array.from({ length: width }, (_, x) =>
    Array.from({ length: height }, (_, y) => 4 * (y * width + x)).some((at) => data[at] > 150 && data[at + 1] < 110 && data[at + 3] > 100));
  const [first, last] = [inked.indexOf(true), inked.lastIndexOf(true)];
  let [run, longest] = [0, 0];
  for (let x = first; x <= last; x += 1) { run = inked[x] ? 0 : run + 1; longest = Math.max(longest, run); }
  return { columns: last - first, blank: longest };
})()`;

/** Redraws every frame with a changed newest value. @returns number of frames */
const MOVE = `new Promise((done) => {
  const endMs = performance.now() + ${MOVING_MS};
  let frames = 0;
  const next = (now) => {
    if (now > endMs) return done(frames);
    frames += 1;
    draw({ ...mids, values: mids.values.map((value, at) => (at === mids.values.length - 1 ? value + (frames % 7) : value)) });
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

/**
 * Draws the same packets with both libraries, with a gap of `holeMs` in the middle: its drawn width, and the drawing
 * cost.
 */
export async function compareCharts(browser: Browser, whole: Mids, holeMs: number, say: (line: string) => void): Promise<void> {
  const { timesMs, values } = withGap(whole, holeMs);
  const [first = 0, last = 0] = [timesMs[0], timesMs.at(-1)];
  for (const drawer of [UPLOT, lightweight(false), lightweight(true)]) {
    const library = await bundled(drawer.source);
    const page = await browser.newPage({ viewport: { width: 1_100, height: 400 } });
    const { busySeconds, memory } = await measuredPage(page, 1);
    try {
      await page.setContent('<!doctype html><body style="margin:0">');
      await page.addScriptTag({ content: library });
      await page.addScriptTag({ content: `{${drawer.script}}` });
      await page.evaluate(`draw(globalThis.mids = ${JSON.stringify({ timesMs, values })})`);
      await delay(200);
      const { columns, blank } = (await page.evaluate(BLANK)) as { columns: number; blank: number };
      const before = await busySeconds();
      const frames = (await page.evaluate(MOVE)) as number;
      const busyMs = 1_000 * ((await busySeconds()) - before);
      say(
        `${drawer.name}: ${(gzipSync(library, { level: 9 }).length / 1_000).toFixed(1)} KB of script after gzip; of a gap of ${holeMs / 1_000} s ` +
          `${blank} columns are blank, expected ${((columns * holeMs) / (last - first)).toFixed(1)}; ${(busyMs / frames).toFixed(2)} ms of the main thread per frame ` +
          `that redraws ${timesMs.length} points; heap ${((await memory()).heapBytes / MB).toFixed(1)} MB`,
      );
    } finally {
      await page.close();
    }
  }
}

async function bundled(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    globalName: 'library',
    conditions: ['production'],
  });
  return outputFiles[0]?.text ?? '';
}

function withGap({ timesMs, values }: Mids, holeMs: number): Mids {
  const fromMs = timesMs[Math.floor(timesMs.length / 2)] ?? 0;
  const kept = timesMs.map((time) => time <= fromMs || time >= fromMs + holeMs);
  return { timesMs: timesMs.filter((_, at) => kept[at]), values: values.filter((_, at) => kept[at]) };
}
