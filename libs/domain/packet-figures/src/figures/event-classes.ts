import type { ReportSample } from '../sample';
import { sideColor, sideOf } from '../states/colors';
import type { Figure, Frame } from './frame';
import { markRows } from './mark-rows';

/** One row for each event class that occurs, a mark for each window that has it; the most frequent on top. */
export function eventClassFigure(frame: Frame, samples: readonly ReportSample[], byFrequency: readonly string[]): Figure {
  return {
    title: 'Event class',
    note: 'The class of each window. Blue: it leans to the bids or the buyers. Orange: to the asks or the sellers. Grey: to no side.',
    ...markRows(frame, samples, byFrequency, ({ eventClass, direction }, name) =>
      eventClass === name ? sideColor(sideOf(eventClass, direction)) : undefined,
    ),
  };
}
