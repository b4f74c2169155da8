import type { Data } from '@market-state/client';
import { words } from '@market-state/packet-figures';

export type Accuracy = Data<'getAccuracy'>;
type Day = Accuracy['rows'][number];

/** What was found of a measure of a symbol over all days of the answer. */
export interface MeasureSum extends Pick<Day, 'symbol' | 'measure' | 'compared_with'> {
  readonly comparedTotal: number;
  readonly differingTotal: number;
  readonly notComparedTotal: number;
  readonly reasons: readonly Day['not_compared_reasons'][number][];
  readonly lastRunUtc: string;
}

/** The days of each measure summed, in the order in which measures come. */
export function sumByMeasure(days: readonly Day[]): readonly MeasureSum[] {
  const byMeasure = new Map<string, Day[]>();
  for (const day of days) {
    const key = `${day.symbol} ${day.measure}`;
    byMeasure.set(key, [...(byMeasure.get(key) ?? []), day]);
  }
  return [...byMeasure.values()].flatMap((ofOne) => {
    const last = ofOne.at(-1);
    if (last === undefined) return [];
    const { symbol, measure, compared_with } = last;
    return [
      {
        ...{ symbol, measure, compared_with, lastRunUtc: last.last_run_utc },
        comparedTotal: sum(ofOne, 'compared_total'),
        differingTotal: sum(ofOne, 'differing_total'),
        notComparedTotal: sum(ofOne, 'not_compared_total'),
        reasons: [...new Set(ofOne.flatMap((day) => day.not_compared_reasons))],
      },
    ];
  });
}

/** How much of what could be compared was equal, in one sentence. */
export function accuracySentence(days: readonly Day[]): string {
  const [compared, differing] = [sum(days, 'compared_total'), sum(days, 'differing_total')];
  if (compared === 0) return 'no value could be compared yet';
  const values = `${compared.toLocaleString('en-US')} values compared`;
  return differing === 0 ? `${values}, all equal` : `${values}, ${differing.toLocaleString('en-US')} differ`;
}

/** Values that were left out, and why. */
export function leftOutWords({ notComparedTotal, reasons }: Pick<MeasureSum, 'notComparedTotal' | 'reasons'>): string {
  return notComparedTotal === 0 ? 'none' : `${notComparedTotal.toLocaleString('en-US')}: ${reasons.map(words).join(', ')}`;
}

function sum(days: readonly Day[], field: 'compared_total' | 'differing_total' | 'not_compared_total'): number {
  return days.reduce((total, day) => total + day[field], 0);
}
