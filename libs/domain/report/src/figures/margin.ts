import type { ReportSample } from '../sample';
import { WINDOW_MS } from '../spells';
import type { Figure, Frame } from './frame';
import { valueAxis } from './scale-axis';

const HEIGHT = 150;

/** How far the raw winner led the runner-up, and where the published state was not the winner. */
export function marginFigure(frame: Frame, samples: readonly ReportSample[]): Figure {
  const axis = valueAxis(frame, [0, 1], [10, HEIGHT - 28], [0, 0.1, 0.2, 0.5, 1], (value) => value.toFixed(1));
  const bars = samples.map(({ windowEndMs, margin, winner, state }) => {
    const x = frame.x(windowEndMs - WINDOW_MS);
    const width = Math.max(0.3, frame.x(windowEndMs) - x).toFixed(2);
    const y = Math.round(axis.y(margin) * 100) / 100;
    return `<rect class="${winner === state ? 'held' : 'waiting'}" x="${x}" y="${y}" width="${width}" height="${(axis.y(0) - y).toFixed(2)}"/>`;
  });
  return {
    title: 'Margin of the raw winner over the runner-up',
    note: 'From 0.2 on a new winner is published at once, below it only after two packets in a row. Light bars: the winner was not the published state.',
    height: HEIGHT,
    svg: `${axis.svg}${bars.join('')}`,
  };
}
