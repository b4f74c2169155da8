import type { CDPSession, Page } from 'playwright-core';

const NOTES = `
  globalThis.noted = { lcp: 0, cls: 0, tasks: [], frames: [], inputs: [], draws: 0, drawsMax: 0 };
  const watch = (type, take, options = {}) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...options });
  watch('largest-contentful-paint', ({ startTime }) => { noted.lcp = startTime; });
  watch('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) noted.cls += value; });
  watch('longtask', ({ duration }) => noted.tasks.push(duration));
  watch('event', ({ interactionId, duration }) => { if (interactionId > 0) noted.inputs.push(duration); }, { durationThreshold: 16 });
  const drawn = new Map();
  const clear = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function (...area) {
    drawn.set(this.canvas, (drawn.get(this.canvas) ?? 0) + 1);
    return clear.apply(this, area);
  };
  let last = 0;
  const frame = (now) => {
    if (last > 0) noted.frames.push(now - last);
    last = now;
    for (const draws of drawn.values()) noted.drawsMax = Math.max(noted.drawsMax, draws);
    drawn.clear();
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
`;

/** Largest contentful paint and durations in milliseconds; layout shift as defined by the browser. */
export interface PageStatistics {
  readonly lcp: number;
  readonly cls: number;
  /** Tasks over 50 ms. */
  readonly tasks: readonly number[];
  readonly frames: readonly number[];
  /** From an input to the frame with its result. */
  readonly inputs: readonly number[];
  /** Most clears of one canvas between two frames. */
  readonly drawsMax: number;
}

export interface MeasuredPage {
  readonly page: Page;
  figures(): Promise<PageStatistics>;
  forget(): Promise<void>;
  busySeconds(): Promise<number>;
  /** Live heap bytes after a collection, and elements of the document. */
  memory(): Promise<{ readonly heapBytes: number; readonly nodes: number }>;
}

/** Prepares an empty page. @param slowdown CPU slowdown factor */
export async function measuredPage(page: Page, slowdown: number): Promise<MeasuredPage> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.addInitScript(NOTES);
  return {
    page,
    figures: () => page.evaluate('globalThis.noted'),
    forget: () => page.evaluate('Object.assign(globalThis.noted, { tasks: [], frames: [], inputs: [], drawsMax: 0 }), undefined'),
    busySeconds: () => metric(session, 'TaskDuration'),
    async memory() {
      await session.send('HeapProfiler.collectGarbage');
      const nodes = (await page.evaluate("document.querySelectorAll('*').length")) as number;
      return { heapBytes: await metric(session, 'JSHeapUsedSize'), nodes };
    },
  };
}

async function metric(session: CDPSession, wanted: string): Promise<number> {
  const { metrics } = (await session.send('Performance.getMetrics')) as { metrics: { name: string; value: number }[] };
  return metrics.find(({ name }) => name === wanted)?.value ?? 0;
}
