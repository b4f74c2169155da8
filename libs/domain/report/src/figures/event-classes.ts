import { WINDOW_MS } from '@market-state/market-data';
import { escape, words } from '../page/escape';
import type { ReportSample } from '../sample';
import { sideColor, sideOf, type Side } from './colors';
import type { Figure, Frame } from './frame';
import { pixel } from './step-line';

const ROW = 24;

/** One row for each event class that occurs, a mark for each window that has it; the most frequent on top. */
export function eventClassFigure(frame: Frame, samples: readonly ReportSample[], byFrequency: readonly string[]): Figure {
  const rows = byFrequency.map((eventClass, row) => {
    const y = row * ROW;
    const marks = marksOf(samples, eventClass).map(({ startMs, endMs, side }) => {
      const width = pixel(frame.x(endMs) - frame.x(startMs));
      return `<rect x="${frame.x(startMs)}" y="${y + 5}" width="${width}" height="${ROW - 9}" fill="${sideColor(side)}"/>`;
    });
    return `${rowLabel(frame, eventClass, y)}<line class="grid" x1="${frame.left}" x2="${frame.right}" y1="${y + ROW}" y2="${y + ROW}"/>${marks.join('')}`;
  });
  return {
    title: 'Event class',
    note: 'The class of each window. Blue-green: it leans to the bids or the buyers. Brown: to the asks or the sellers. Grey: to no side.',
    height: byFrequency.length * ROW + 26,
    svg: rows.join(''),
  };
}

/** The label, over two lines where it is long. */
function rowLabel({ left }: Frame, eventClass: string, y: number): string {
  const text = words(eventClass);
  const lines = text.length <= 34 ? [text] : [text.slice(0, text.lastIndexOf(' ', 34)), text.slice(text.lastIndexOf(' ', 34) + 1)];
  const first = y + (lines.length === 1 ? 16 : 11);
  return lines
    .map((line, index) => `<text class="row" x="${left - 8}" y="${first + index * 11}" text-anchor="end">${escape(line)}</text>`)
    .join('');
}

interface Mark {
  readonly startMs: number;
  endMs: number;
  readonly side: Side;
}

function marksOf(samples: readonly ReportSample[], eventClass: string): readonly Mark[] {
  const marks: Mark[] = [];
  for (const { windowEndMs, eventClass: own, direction } of samples) {
    if (own !== eventClass) continue;
    const side = sideOf(own, direction);
    const last = marks.at(-1);
    if (last !== undefined && last.endMs === windowEndMs - WINDOW_MS && last.side === side) last.endMs = windowEndMs;
    else marks.push({ startMs: windowEndMs - WINDOW_MS, endMs: windowEndMs, side });
  }
  return marks;
}
