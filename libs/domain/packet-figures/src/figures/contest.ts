import type { ReportSample } from '../sample';
import { barPath } from './bars';
import { stateColor } from '../states/palette';
import { rowLabel, WIDTH, type Figure, type Frame } from './frame';
import { valueAxis } from './scale-axis';

const HEIGHT = 216;
const PLOT = [18, 172] as const;
const STRIP = { top: 192, bottom: 206 } as const;

/** The raw winner's score and that of the candidate it left behind, each in the colour of its state. */
export function contestFigure(frame: Frame, samples: readonly ReportSample[]): Figure {
  const axis = valueAxis([-1, 1], PLOT, [-1, -0.5, 0, 0.5, 1], (value) => Math.abs(value).toFixed(1));
  const bars = (stateOf: (sample: ReportSample) => string, scoreOf: (sample: ReportSample) => number): string =>
    [...new Set(samples.map(stateOf))]
      .map((state) => {
        const own = samples.filter((sample) => stateOf(sample) === state && scoreOf(sample) !== 0);
        const path = barPath(
          frame,
          own.map((sample) => ({ windowEndMs: sample.windowEndMs, from: axis.y(0), to: axis.y(scoreOf(sample)) })),
        );
        return `<path class="candidate" d="${path}" style="fill:${stateColor(state)}"/>`;
      })
      .join('');
  const unpublished = samples.filter(({ winner, state }) => winner !== state);
  const strip = barPath(
    frame,
    unpublished.map(({ windowEndMs }) => ({ windowEndMs, from: STRIP.bottom, to: STRIP.top })),
  );
  return {
    title: 'Raw winner and runner-up',
    note: 'Above the line the score of the window’s raw winner, below it the score of the state that lost to it, in the colours of their states. The strip marks windows whose raw winner is not the published state.',
    height: HEIGHT,
    svg: `${bars(
      ({ winner }) => winner,
      ({ winnerScore }) => winnerScore,
    )}${bars(
      ({ runnerUp }) => runnerUp,
      ({ runnerUpScore }) => -runnerUpScore,
    )}${axis.svg}<line class="axis" x1="0" x2="${WIDTH}" y1="${axis.y(0)}" y2="${axis.y(0)}"/><path class="waiting" d="${strip}"/>`,
    labels: `${axis.labels}${rowLabel('raw winner', 0)}${rowLabel('runner-up', PLOT[1] - 16)}${rowLabel('not published', STRIP.top - 17)}`,
  };
}
