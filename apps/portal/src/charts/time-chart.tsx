import 'uplot/dist/uPlot.min.css';
import { useEffect, useEffectEvent, useRef } from 'react';
import uPlot from 'uplot';
import { useTheme } from '../theme/theme';
import { TICK_STEPS_MS, tickLabels, ticksOf, isOneZone, zoneName } from '../time/clock';
import { useZone } from '../time/zone';
import { type ChartInput, listenTo } from './chart-input';
import styles from './figures.module.css';

interface ChartLine {
  readonly label: string;
  readonly color: string;
  readonly width?: number;
  readonly dash?: readonly number[];
  /** Only widens the range of values, for what `over` draws. */
  readonly isHidden?: boolean;
}

interface TimeChartProps {
  /** Times, then the values of each line; null breaks a line. */
  readonly data: uPlot.AlignedData;
  readonly lines: readonly ChartLine[];
  readonly height: number;
  readonly bounds?: readonly [low: number, high: number];
  /** Shown span, independent of the data. */
  readonly startMs: number;
  readonly endMs: number;
  readonly format: (value: number) => string;
  readonly under?: (chart: uPlot) => void;
  readonly over?: (chart: uPlot) => void;
  readonly sentence: string;
  readonly input?: ChartInput;
}

const variable = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/** Padding above and below, as a share of the range; FREE_OF_VALUE applies when there is only one value. */
const FREE_OF_SPAN = 0.08;
const FREE_OF_VALUE = 0.001;

function rangeOf(_chart: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [0, 1];
  const free = high > low ? FREE_OF_SPAN * (high - low) : FREE_OF_VALUE * Math.abs(high) || 1;
  return [low - free, high + free];
}

/** For labels such as `18:30` and `18:30-04`. */
const TICK_PX = 50;
const ZONED_TICK_PX = 72;
/** Ticks this close to the start have no label, because the zone is drawn there. */
const CORNER_PX = 26;
const AXIS_FONT = '11px system-ui, sans-serif';

/** A missing span keeps its width and no line crosses it. Cursors of all charts are synchronized. */
export function TimeChart({ data, lines, height, bounds, startMs, endMs, format, under, over, sentence, input }: TimeChartProps) {
  const theme = useTheme();
  const zone = useZone();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const paintUnder = useEffectEvent((drawn: uPlot) => under?.(drawn));
  const paintOver = useEffectEvent((drawn: uPlot) => over?.(drawn));
  const label = useEffectEvent((value: number) => format(value));
  const isInteractive = input !== undefined;
  const cursor = useEffectEvent((ms: number | null) => input?.onCursor(ms));
  const pick = useEffectEvent((ms: number) => input?.onPick(ms));
  const move = useEffectEvent((fromMs: number, toMs: number) => input?.onSpan(fromMs, toMs));
  const names = lines.map((line) => line.label).join();

  useEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    const soft = variable('--ink-soft');
    const grid = { stroke: variable('--grid'), width: 1 };
    const made = new uPlot(
      {
        width: Math.max(200, box.clientWidth),
        height,
        ms: 1,
        legend: { show: false },
        padding: [6, 16, 0, 0],
        cursor: { sync: { key: 'portal' }, drag: { x: false, y: false }, points: { size: 5 } },
        scales: { x: { time: true }, y: { range: bounds === undefined ? rangeOf : () => [bounds[0], bounds[1]] } },
        axes: [
          {
            stroke: soft,
            font: AXIS_FONT,
            grid,
            ticks: { show: false },
            size: 20,
            gap: 2,
            incrs: [...TICK_STEPS_MS],
            space: (_chart, _axis, fromMs, toMs) => (isOneZone(fromMs, toMs) ? TICK_PX : ZONED_TICK_PX),
            splits: (_chart, _axis, fromMs, toMs, stepMs) => ticksOf(fromMs, toMs, stepMs),
            values: (drawn, ticks) => tickLabels(ticks).map((text, at) => (drawn.valToPos(ticks[at] ?? 0, 'x') < CORNER_PX ? '' : text)),
          },
          {
            stroke: soft,
            font: AXIS_FONT,
            grid,
            ticks: { show: false },
            size: 68,
            gap: 4,
            values: (_chart, values) => values.map((value) => label(value)),
          },
        ],
        series: [
          {},
          ...lines.map(({ label: name, color, width = 1.4, dash, isHidden = false }) => ({
            label: name,
            width: isHidden ? 0 : width,
            ...(isHidden ? {} : { stroke: variable(color) }),
            points: { show: false },
            ...(dash === undefined ? {} : { dash: [...dash] }),
          })),
        ],
        hooks: {
          drawClear: [(drawn) => paintUnder(drawn)],
          draw: [(drawn) => paintOver(drawn)],
          setCursor: [({ cursor: { left = -1 }, posToVal }) => cursor(left < 0 ? null : posToVal(left, 'x'))],
        },
      },
      [[]],
      box,
    );
    chart.current = made;
    const stop = new AbortController();
    if (isInteractive) listenTo(made, { onCursor: cursor, onPick: pick, onSpan: move }, stop.signal);
    const sized = new ResizeObserver(() => made.setSize({ width: Math.max(200, box.clientWidth), height }));
    sized.observe(box);
    return () => {
      stop.abort();
      sized.disconnect();
      made.destroy();
      chart.current = null;
    };
    // Recreated only when its configuration changes; data and span update in place.
  }, [theme, height, names, bounds?.[0], bounds?.[1], isInteractive]);

  useEffect(() => {
    const made = chart.current;
    if (made === null) return;
    made.batch(() => {
      made.setData(data, false);
      made.setScale('x', { min: startMs, max: endMs });
    });
  }, [data, startMs, endMs, theme, height, names, under, over]);

  useEffect(() => chart.current?.redraw(false, true), [zone]);

  return (
    <div ref={place} className={styles['chart']} style={{ height }} role="img" aria-label={sentence}>
      <span className={styles['zone']}>{isOneZone(startMs, endMs) ? zoneName(startMs) : 'local time'}</span>
    </div>
  );
}
