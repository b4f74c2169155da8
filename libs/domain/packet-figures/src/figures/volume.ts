import { quantity } from '../text';
import type { ReportSample } from '../sample';
import { barPath } from './bars';
import { rowLabel, type Figure, type Frame } from './frame';
import { roundValues, valueAxis } from './scale-axis';

const VOLUME = { top: 20, bottom: 150 } as const;
const TRADES = { top: 180, bottom: 240 } as const;
const TRADES_ALONE = { top: 20, bottom: 80 } as const;

/** What each window traded by side, where the log was at hand, and in how many trades. */
export function volumeFigure(frame: Frame, samples: readonly ReportSample[]): Figure {
  const withVolume = samples.some(({ volume }) => volume !== null);
  const trades = tradePanel(frame, samples, withVolume ? TRADES : TRADES_ALONE);
  const volume = withVolume ? volumePanel(frame, samples) : { svg: '', labels: '' };
  return {
    title: 'Volume and trades',
    note: withVolume
      ? 'Size that each window traded: buyers as aggressors above the line, sellers below. Under it the number of trades.'
      : 'Number of trades of each window. Packets hold no volumes: a report on the recording or its rows shows them.',
    height: (withVolume ? TRADES : TRADES_ALONE).bottom + 4,
    svg: volume.svg + trades.svg,
    labels: volume.labels + trades.labels,
  };
}

interface Panel {
  readonly svg: string;
  readonly labels: string;
}

function volumePanel(frame: Frame, samples: readonly ReportSample[]): Panel {
  const known = samples.flatMap(({ windowEndMs, volume }) => (volume === null ? [] : [{ windowEndMs, ...volume }]));
  const high = known.reduce((most, { buys, sells }) => Math.max(most, buys, sells), 0) || 1;
  const at = roundValues(-high, high, 4);
  const axis = valueAxis([-high, high], [VOLUME.top, VOLUME.bottom], at, (value) => quantity(Math.abs(value)));
  const bars = (of: (each: (typeof known)[number]) => number): string =>
    barPath(
      frame,
      known.filter((each) => of(each) !== 0).map((each) => ({ windowEndMs: each.windowEndMs, from: axis.y(0), to: axis.y(of(each)) })),
    );
  const base = samples[0]?.symbol.replace(/USD-PERP$/, '') ?? '';
  return {
    svg: `${axis.svg}<path class="buys" d="${bars(({ buys }) => buys)}"/><path class="sells" d="${bars(({ sells }) => -sells)}"/>`,
    labels: axis.labels + rowLabel(`volume, ${base}`, 0),
  };
}

function tradePanel(
  frame: Frame,
  samples: readonly ReportSample[],
  { top, bottom }: { readonly top: number; readonly bottom: number },
): Panel {
  const known = samples.flatMap(({ windowEndMs, tradeTotal }) => (tradeTotal === null ? [] : [{ windowEndMs, tradeTotal }]));
  const high = known.reduce((most, { tradeTotal }) => Math.max(most, tradeTotal), 0) || 1;
  const axis = valueAxis([0, high], [top, bottom], [0, ...roundValues(0, high, 2).slice(1)], quantity);
  const path = barPath(
    frame,
    known
      .filter(({ tradeTotal }) => tradeTotal > 0)
      .map(({ windowEndMs, tradeTotal }) => ({ windowEndMs, from: axis.y(0), to: axis.y(tradeTotal) })),
  );
  return {
    svg: known.length === 0 ? '' : `${axis.svg}<path class="trades" d="${path}"/>`,
    labels: known.length === 0 ? rowLabel('trades: not reported by this venue', top - 18) : axis.labels + rowLabel('trades', top - 18),
  };
}
