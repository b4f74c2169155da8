import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { openBrowserPage, serveBuild } from '@market-state/testing';
import type { SuiteContext } from '../harness';

/** Spans of a chart, and holes in it, milliseconds. */
const DRAWINGS = [
  { spanMs: 10_000, everyMs: 50, holeMs: 250 },
  { spanMs: 60_000, everyMs: 100, holeMs: 250 },
  { spanMs: 300_000, everyMs: 1_000, holeMs: 20_000 },
];
/** A line ends with half its width of two pixels on either side, smoothed at its edges. */
const TOLERANCE_PX = 3;

/** Draws lines with holes and counts the columns of pixels without ink: a hole is as wide as it lasted. */
export async function verifyHoles({ closer, report }: SuiteContext): Promise<void> {
  const served = await serveBuild(join(workspaceRoot(), 'apps', 'portal', 'tests', 'time-chart', 'page'));
  closer.add('page of a chart', () => served.close());
  const { page, complaints, close } = await openBrowserPage({ width: 1_400, height: 600, mobile: false });
  closer.add('browser of a chart', close);
  await page.goto(served.url);
  for (const drawing of DRAWINGS) {
    const { plotPx, inkless } = (await page.evaluate((asked) => (globalThis as unknown as Drawing).drawHole(asked), drawing)) as Drawn;
    const wanted = (drawing.holeMs * plotPx) / drawing.spanMs;
    const words = `a hole of ${drawing.holeMs} ms in ${drawing.spanMs / 1_000} s`;
    report.check(
      Math.abs(inkless.length - wanted) <= TOLERANCE_PX,
      `${words}: ${inkless.length} px without ink, ${wanted.toFixed(1)} wanted`,
    );
    report.check(
      inkless.every((x, at) => at === 0 || x === (inkless[at - 1] ?? 0) + 1),
      `${words}: the line is broken elsewhere too`,
    );
    report.figure(words, `${inkless.length} px without ink of ${plotPx}, ${wanted.toFixed(1)} wanted`);
  }
  report.fail(...complaints);
}

interface Drawn {
  readonly plotPx: number;
  readonly inkless: readonly number[];
}

interface Drawing {
  drawHole(asked: object): Promise<unknown>;
}
