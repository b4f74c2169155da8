import { createRoot } from 'react-dom/client';
import { flushSync } from 'react-dom';
import { TimeChart } from '../../../src/charts/time-chart';

/** A line with a span without values. */
interface Drawing {
  readonly spanMs: number;
  readonly everyMs: number;
  readonly gapMs: number;
}

interface Drawn {
  readonly plotPx: number;
  readonly inkless: readonly number[];
}

const INK = [1, 2, 3];
const HEIGHT = 200;
const root = createRoot(document.getElementById('root') as HTMLElement);
const COLORS = { '--line-under-test': `rgb(${INK.join(' ')})`, '--grid': '#ccc', '--ink-soft': '#888' };
for (const [name, color] of Object.entries(COLORS)) document.documentElement.style.setProperty(name, color);

/** Draws a flat line with a gap in the middle and finds the pixel columns without ink. */
async function drawGap({ spanMs, everyMs, gapMs }: Drawing): Promise<Drawn> {
  const middle = Math.floor(spanMs / 2 / everyMs) * everyMs;
  const times: number[] = [];
  const values: (number | null)[] = [];
  const add = (ms: number, value: number | null): void => {
    times.push(ms);
    values.push(value);
  };
  for (let ms = 0; ms <= middle; ms += everyMs) add(ms, 1);
  add(middle + 1, null);
  for (let ms = middle + gapMs; ms <= spanMs; ms += everyMs) add(ms, 1);
  flushSync(() =>
    root.render(
      <TimeChart
        data={[times, values]}
        lines={[{ label: 'line', color: '--line-under-test', width: 2 }]}
        height={HEIGHT}
        bounds={[0, 2]}
        startMs={0}
        endMs={spanMs}
        format={String}
        sentence="a line with a gap"
      />,
    ),
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  const canvas = document.querySelector('canvas') as HTMLCanvasElement;
  const { data, width, height } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(0, 0, canvas.width, canvas.height);
  const hasInk = (x: number): boolean => {
    for (let y = 0; y < height; y += 1) {
      const at = 4 * (y * width + x);
      if (INK.every((part, index) => data[at + index] === part) && data[at + 3] === 255) return true;
    }
    return false;
  };
  const inked = Array.from({ length: width }, (_none, x) => hasInk(x));
  const [first, last] = [inked.indexOf(true), inked.lastIndexOf(true)];
  return { plotPx: last - first, inkless: inked.flatMap((isInked, x) => (!isInked && x > first && x < last ? [x] : [])) };
}

Object.assign(globalThis, { drawGap });
