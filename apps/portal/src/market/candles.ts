import type { Schemas } from '@market-state/client';
import type uPlot from 'uplot';
import { PACKET_MS } from '../packets/live-markets';

export interface Candle {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** Candles without trades have no price and are left out. */
export function candlesOf(rows: readonly Schemas['Candle'][]): readonly Candle[] {
  return rows.flatMap(({ open_time_utc: start, close_time_utc: end, open, high, low, close }) =>
    open === null || high === null || low === null || close === null
      ? []
      : [
          {
            openMs: Date.parse(start),
            closeMs: Date.parse(end),
            ...{ open: Number(open), high: Number(high), low: Number(low), close: Number(close) },
          },
        ],
  );
}

type Column = (number | null)[];

/** Columns at the middle of each candle. A missing candle breaks the line. */
export function candleColumns(candles: readonly Candle[], isLine: boolean): uPlot.AlignedData {
  const times: number[] = [];
  const columns: readonly [close: Column, high: Column, low: Column] = [[], [], []];
  const add = (ms: number, ...values: readonly (number | null)[]): void => {
    times.push(ms);
    columns.forEach((column, index) => column.push(values[index] ?? null));
  };
  candles.forEach(({ openMs, closeMs, high, low, close }, index) => {
    add((openMs + closeMs) / 2, close, high, low);
    const next = candles[index + 1];
    if (next !== undefined && next.openMs > closeMs) add(closeMs);
  });
  return isLine ? [times, columns[0]] : [times, ...columns];
}

const BODY = 0.66;

/** Hollow bodies rose and filled ones fell: they differ in shape, not only in color. */
export function paintCandles(chart: uPlot, candles: readonly Candle[]): void {
  const { ctx, bbox } = chart;
  const line = Math.max(1, Math.round(devicePixelRatio));
  const style = getComputedStyle(document.documentElement);
  const [ink, paper] = [style.getPropertyValue('--ink'), style.getPropertyValue('--paper')];
  const x = (ms: number): number => chart.valToPos(ms, 'x', true);
  const y = (value: number): number => Math.round(chart.valToPos(value, 'y', true));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = line;
  ctx.strokeStyle = ink;
  for (const { openMs, closeMs, open, high, low, close } of candles) {
    const [left, right] = [x(openMs), x(closeMs)];
    if (right < bbox.left || left > bbox.left + bbox.width) continue;
    const [middle, wide] = [Math.round((left + right) / 2), Math.max(line, Math.round((right - left) * BODY))];
    const [top, tall] = [y(Math.max(open, close)), Math.max(line, Math.abs(y(open) - y(close)))];
    ctx.fillStyle = ink;
    ctx.fillRect(middle - line / 2, y(high), line, Math.max(line, y(low) - y(high)));
    ctx.fillStyle = close > open ? paper : ink;
    ctx.fillRect(middle - wide / 2, top, wide, tall);
    if (wide > 2 * line) ctx.strokeRect(middle - wide / 2, top, wide, tall);
  }
  ctx.restore();
}

const TIMEFRAMES = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '4h': 14_400_000, '1d': 86_400_000 } as const;
type Timeframe = keyof typeof TIMEFRAMES;

/** Shortest with at most that many candles in a span. */
export function timeframeFor(spanMs: number, candlesMax: number): { readonly tf: Timeframe; readonly lengthMs: number } {
  const found = (Object.keys(TIMEFRAMES) as Timeframe[]).find((tf) => spanMs / TIMEFRAMES[tf] <= candlesMax) ?? '1d';
  return { tf: found, lengthMs: TIMEFRAMES[found] };
}

/** Window end of the packet that covers an instant. */
export function windowEndAt(ms: number): number {
  return Math.ceil(ms / PACKET_MS) * PACKET_MS;
}
