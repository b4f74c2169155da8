import type { Schemas } from '@market-state/client';
import { SIDE_HUES, stateRunsOf, words, MARK_OPACITY, markInk, markTile, stateStyle, TILE, type Theme } from '@market-state/packet-figures';
import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { isUnknown, stripParts, type TimeSpan, UNKNOWN_PARTS } from '../charts/strip-parts';
import type { ChartInput } from '../charts/chart-input';
import { TimeChart } from '../charts/time-chart';
import { type CompactPacket, readingOf } from '../packets/live-markets';
import { currentTheme } from '../theme/theme';
import { type Candle, candleColumns, paintCandles } from './candles';
import { priceText } from './numbers';
import { classMarks, type Series } from './series';

interface PriceChartProps {
  readonly packets: readonly CompactPacket[];
  readonly series: Series;
  readonly startMs: number;
  readonly endMs: number;
  /** Later parts stay blank. */
  readonly knownToMs: number;
  readonly unread?: readonly TimeSpan[];
  readonly gaps: readonly Schemas['Gap'][];
  readonly spanWords: string;
  readonly height?: number;
  /** Drawn instead of the mid of packets. */
  readonly candles?: readonly Candle[] | undefined;
  readonly isLine?: boolean;
  /** Marked at the top. */
  readonly events?: readonly number[];
  /** False if no packets are requested: nothing is hatched. */
  readonly hasPackets?: boolean;
  readonly input?: ChartInput;
}

const MID = [{ label: 'mid', color: '--ink', width: 1.6 }] as const;
const CANDLES = [
  { label: 'close', color: '--ink', width: 1.4, isHidden: true },
  { label: 'high', color: '--ink', isHidden: true },
  { label: 'low', color: '--ink', isHidden: true },
] as const;
const CLOSES = [{ label: 'close of trades', color: '--ink', width: 1.4 }] as const;
const NO_EVENTS: readonly number[] = [];
const MARK_PX = 7;
const BAND_OPACITY = 0.28;
/** At a seam nothing is known to be missing, so it is a thin line. Neutral class marks share its grey. */
const SEAM = '#8a97a6';

type Ink = string | CanvasPattern;

const inks = new Map<string, Ink>();

/** Canvas fill of a state, with its mark. */
function stateInk(context: CanvasRenderingContext2D, state: string, theme: Theme): Ink {
  const ratio = devicePixelRatio;
  const key = `${state} ${theme} ${ratio}`;
  const known = inks.get(key);
  if (known !== undefined) return known;
  const style = stateStyle(state);
  const made = patternOf(context, style[theme], style.mark, ratio) ?? style[theme];
  inks.set(key, made);
  return made;
}

function unreadInk(context: CanvasRenderingContext2D, theme: Theme): Ink {
  const ratio = devicePixelRatio;
  const key = `unread ${theme} ${ratio}`;
  const known = inks.get(key);
  if (known !== undefined) return known;
  const tile = document.createElement('canvas');
  tile.width = Math.round(DOT_EVERY * ratio);
  tile.height = tile.width;
  const paint = tile.getContext('2d');
  if (paint === null) return 'transparent';
  paint.fillStyle = DOT[theme];
  paint.fillRect(0, 0, Math.round(2 * ratio), Math.round(2 * ratio));
  const made = context.createPattern(tile, 'repeat') ?? 'transparent';
  inks.set(key, made);
  return made;
}

const DOT_EVERY = 6;
const DOT: Readonly<Record<Theme, string>> = { dark: '#8190a0', light: '#5d6b7a' };

function patternOf(
  context: CanvasRenderingContext2D,
  hue: string,
  mark: Parameters<typeof markTile>[0],
  ratio: number,
): CanvasPattern | null {
  const { path, isFilled } = markTile(mark);
  const tile = document.createElement('canvas');
  const sizePx = Math.round(TILE * ratio);
  tile.width = sizePx;
  tile.height = sizePx;
  const paint = tile.getContext('2d');
  if (paint === null) return null;
  paint.fillStyle = hue;
  paint.fillRect(0, 0, sizePx, sizePx);
  paint.scale(sizePx / TILE, sizePx / TILE);
  paint.globalAlpha = MARK_OPACITY;
  paint.fillStyle = markInk(mark, hue);
  paint.strokeStyle = markInk(mark, hue);
  const shape = new Path2D(path);
  if (isFilled) paint.fill(shape);
  else paint.stroke(shape);
  return context.createPattern(tile, 'repeat');
}

/** Mid price over bands of the published state, with class marks at the bottom; spans without a packet are hatched. */
export function PriceChart({
  packets,
  series,
  startMs,
  endMs,
  knownToMs,
  unread,
  gaps,
  spanWords,
  height = 260,
  candles,
  isLine = false,
  events = NO_EVENTS,
  hasPackets = true,
  input,
}: PriceChartProps) {
  const parts = useMemo(() => {
    if (!hasPackets) return [];
    return stripParts(packets.map(readingOf), startMs, knownToMs, unread);
  }, [packets, startMs, knownToMs, unread, hasPackets]);
  const marks = useMemo(() => classMarks(packets), [packets]);
  const data = useMemo<uPlot.AlignedData>(
    () => (candles === undefined ? [series.timesMs, series.mid] : candleColumns(candles, isLine)),
    [series, candles, isLine],
  );

  const under = useCallback(
    (chart: uPlot): void => {
      const { ctx, bbox } = chart;
      const theme = currentTheme();
      const x = (ms: number): number => Math.min(bbox.left + bbox.width, Math.max(bbox.left, chart.valToPos(ms, 'x', true)));
      ctx.save();
      for (const { word, startMs: from, endMs: to } of parts) {
        const isMissing = word === 'missing' || word === 'hole';
        ctx.globalAlpha = isMissing || isUnknown(word) ? 1 : BAND_OPACITY;
        if (word !== 'no-packet') {
          ctx.fillStyle = word === 'unread' ? unreadInk(ctx, theme) : stateInk(ctx, isMissing ? 'replay_context_ready' : word, theme);
          ctx.fillRect(x(from), bbox.top, x(to) - x(from), bbox.height);
        }
      }
      ctx.globalAlpha = 1;
      for (const { kind, start_utc: start, end_utc: end } of gaps) {
        const [from, to] = [x(Date.parse(start)), x(Math.min(knownToMs, end === null ? knownToMs : Date.parse(end)))];
        if (Date.parse(start) > knownToMs) continue;
        ctx.fillStyle = kind === 'seam' ? SEAM : stateInk(ctx, 'replay_context_ready', theme);
        ctx.fillRect(from, bbox.top, kind === 'seam' ? devicePixelRatio : Math.max(devicePixelRatio, to - from), bbox.height);
      }
      const tall = MARK_PX * devicePixelRatio;
      for (const { startMs: from, endMs: to, side } of marks) {
        ctx.fillStyle = side === 'none' ? SEAM : SIDE_HUES[theme][side];
        ctx.fillRect(x(from), bbox.top + bbox.height - tall, Math.max(1, x(to) - x(from)), tall);
      }
      ctx.fillStyle = EVENT[theme];
      for (const ms of events) {
        const at = chart.valToPos(ms, 'x', true);
        if (at >= bbox.left && at <= bbox.left + bbox.width) ctx.fill(diamond(at, bbox.top + tall, tall * 0.6));
      }
      ctx.restore();
    },
    [parts, marks, gaps, knownToMs, events],
  );

  const over = useCallback(
    (chart: uPlot): void => {
      const { ctx, bbox } = chart;
      if (candles !== undefined && !isLine) paintCandles(chart, candles);
      for (const { word, startMs: from, endMs: to } of parts) {
        if (!isUnknown(word) || word === 'missing') continue;
        const [left, right] = [from, to].map((ms) => Math.min(bbox.left + bbox.width, Math.max(bbox.left, chart.valToPos(ms, 'x', true))));
        writeReason(ctx, UNKNOWN_PARTS[word], left ?? 0, (right ?? 0) - (left ?? 0), bbox);
      }
    },
    [parts, candles, isLine],
  );

  return (
    <TimeChart
      data={data}
      lines={candles === undefined ? MID : isLine ? CLOSES : CANDLES}
      height={height}
      startMs={startMs}
      endMs={endMs}
      format={priceText}
      under={under}
      over={over}
      {...(input === undefined ? {} : { input })}
      sentence={`${sentenceOf(packets, spanWords)}${parts.some(({ word }) => word === 'unread') ? ' Part of it is not loaded yet.' : ''}`}
    />
  );
}

const EVENT: Readonly<Record<ReturnType<typeof currentTheme>, string>> = { dark: '#f3c969', light: '#7a4a00' };

function diamond(x: number, y: number, radius: number): Path2D {
  const path = new Path2D();
  path.moveTo(x, y - radius);
  path.lineTo(x + radius, y);
  path.lineTo(x, y + radius);
  path.lineTo(x - radius, y);
  path.closePath();
  return path;
}

function writeReason(ctx: CanvasRenderingContext2D, words: string, left: number, width: number, { top, height }: uPlot.BBox): void {
  const { color, backgroundColor, fontFamily } = getComputedStyle(document.body);
  ctx.save();
  ctx.font = `${12 * devicePixelRatio}px ${fontFamily}`;
  const wide = ctx.measureText(words).width + 12 * devicePixelRatio;
  if (wide > width) return ctx.restore();
  ctx.fillStyle = backgroundColor;
  ctx.fillRect(left + (width - wide) / 2, top + height / 2 - 10 * devicePixelRatio, wide, 20 * devicePixelRatio);
  ctx.fillStyle = color;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillText(words, left + width / 2, top + height / 2);
  ctx.restore();
}

function sentenceOf(packets: readonly CompactPacket[], spanWords: string): string {
  const mids = packets.flatMap(({ mid_price: mid }) => (mid === null ? [] : [mid]));
  const newest = packets.at(-1);
  if (newest === undefined || mids.length === 0) return `Mid price ${spanWords}: not in any packet.`;
  const stateRuns = stateRunsOf(packets.map(readingOf));
  return (
    `Mid price ${spanWords}: ${priceText(Math.min(...mids))} to ${priceText(Math.max(...mids))} USD, last ${priceText(mids.at(-1) ?? 0)}; ` +
    `${stateRuns.length} state runs, last ${newest.state_label}; event class ${words(newest.event_class)}.`
  );
}
