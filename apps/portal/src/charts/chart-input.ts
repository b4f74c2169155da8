import type uPlot from 'uplot';

/** Own zoom, pan and cursor of a chart. */
export interface ChartInput {
  /** Null when the cursor leaves the chart. */
  readonly onCursor: (ms: number | null) => void;
  readonly onPick: (ms: number) => void;
  /** Called after a zoom or a pan. */
  readonly onSpan: (startMs: number, endMs: number) => void;
}

/** Zoom of one wheel step. */
const ZOOM = 1.2;
/** A shorter move is a click. */
const CLICK_PX = 4;

/** Wheel zooms at the cursor, drag pans, click picks. Touch pans sideways and leaves vertical scrolling to the page. */
export function listenTo(chart: uPlot, input: ChartInput, signal: AbortSignal): void {
  const plot = chart.over;
  let press: { readonly x: number; readonly startMs: number; readonly endMs: number; isPan: boolean } | null = null;
  const span = (): readonly [startMs: number, endMs: number] => [chart.scales['x']?.min ?? 0, chart.scales['x']?.max ?? 1];
  plot.style.touchAction = 'pan-y';
  plot.style.cursor = 'crosshair';
  plot.addEventListener(
    'wheel',
    (wheel) => {
      wheel.preventDefault();
      const [startMs, endMs] = span();
      if (Math.abs(wheel.deltaX) > Math.abs(wheel.deltaY)) {
        const movedMs = (wheel.deltaX / plot.clientWidth) * (endMs - startMs);
        return input.onSpan(startMs + movedMs, endMs + movedMs);
      }
      const [next, share] = [(endMs - startMs) * (wheel.deltaY > 0 ? ZOOM : 1 / ZOOM), wheel.offsetX / plot.clientWidth];
      const atMs = startMs + share * (endMs - startMs);
      return input.onSpan(atMs - share * next, atMs + (1 - share) * next);
    },
    { signal, passive: false },
  );
  plot.addEventListener(
    'pointerdown',
    (pressed) => {
      if (pressed.button !== 0) return;
      const [startMs, endMs] = span();
      press = { x: pressed.clientX, startMs, endMs, isPan: false };
      plot.setPointerCapture(pressed.pointerId);
    },
    { signal },
  );
  plot.addEventListener(
    'pointermove',
    ({ clientX }) => {
      if (press === null || (!press.isPan && Math.abs(clientX - press.x) < CLICK_PX)) return;
      press.isPan = true;
      const movedMs = ((press.x - clientX) / plot.clientWidth) * (press.endMs - press.startMs);
      input.onSpan(press.startMs + movedMs, press.endMs + movedMs);
    },
    { signal },
  );
  plot.addEventListener(
    'pointerup',
    ({ clientX }) => {
      if (press !== null && !press.isPan) input.onPick(chart.posToVal(clientX - plot.getBoundingClientRect().left, 'x'));
      press = null;
    },
    { signal },
  );
  plot.addEventListener('pointercancel', () => (press = null), { signal });
}
