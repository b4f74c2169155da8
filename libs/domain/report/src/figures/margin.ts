import { WINDOW_MS } from '@market-state/market-data';
import type { ReportSample } from '../sample';
import type { Figure, Frame } from './frame';
import { valueAxis } from './scale-axis';
import { pixel } from './step-line';

const HEIGHT = 150;

/** How far the raw winner led the runner-up, and where the published state was not the winner. */
export function marginFigure(frame: Frame, samples: readonly ReportSample[]): Figure {
  const axis = valueAxis(frame, [0, 1], [10, HEIGHT - 28], [0, 0.1, 0.2, 0.5, 1], (value) => value.toFixed(1));
  const bars = (which: readonly ReportSample[]) =>
    which
      .map(
        ({ windowEndMs, margin }) =>
          `M${frame.x(windowEndMs - WINDOW_MS)} ${axis.y(0)}V${pixel(axis.y(margin))}H${frame.x(windowEndMs)}V${axis.y(0)}`,
      )
      .join('');
  const held = samples.filter(({ winner, state }) => winner === state);
  const waiting = samples.filter(({ winner, state }) => winner !== state);
  return {
    title: 'Margin of the raw winner over the runner-up',
    note: 'From 0.2 on a new winner is published at once, below it only after two packets in a row. Light bars: the winner was not the published state.',
    height: HEIGHT,
    svg: `${axis.svg}<path class="held" d="${bars(held)}"/><path class="waiting" d="${bars(waiting)}"/>`,
  };
}
