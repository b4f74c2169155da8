import type { marketData } from '@market-state/contracts';
import { toUtc } from '../../../serving/meta/instant';
import { type Described, documentedWord } from '../../../serving/openapi/described';

const measureNamed = documentedWord('AccuracyDay', 'measure');
const sourceNamed = documentedWord('AccuracyDay', 'compared_with');
const reasonNamed = documentedWord('AccuracyDay', 'not_compared_reasons');
const fieldNamed = documentedWord('AccuracyValue', 'field');

/** The runs of a measure on a day. */
export function toAccuracyDay(day: marketData.AccuracyDay): Described<'AccuracyDay'> {
  return {
    symbol: day.symbol,
    venue: day.venue,
    measure: measureNamed(day.measure),
    compared_with: sourceNamed(day.source),
    date: toUtc(day.dayMs).slice(0, 10),
    run_total: day.runTotal,
    compared_total: day.comparedTotal,
    equal_total: day.equalTotal,
    differing_total: day.comparedTotal - day.equalTotal,
    not_compared_total: day.notComparedTotal,
    not_compared_reasons: day.reasons.map((reason) => reasonNamed(reason)),
    last_run_utc: toUtc(day.lastRunMs),
    largest_difference: day.largest === undefined ? null : toValue(day.largest),
  };
}

/** A difference, in words too. */
export function toAccuracyDifference(difference: marketData.AccuracyDifference): Described<'AccuracyDifference'> {
  const { largest } = difference;
  if (largest === undefined) throw new Error(`the difference ${difference.differenceId} has no value that differs`);
  return {
    difference_id: difference.differenceId,
    symbol: difference.symbol,
    venue: difference.venue,
    measure: measureNamed(difference.measure),
    compared_with: sourceNamed(difference.source),
    opened_utc: toUtc(difference.openedMs),
    closed_utc: difference.closedMs === 0 ? null : toUtc(difference.closedMs),
    first_differing_utc: toUtc(difference.fromMs),
    last_differing_utc: toUtc(difference.toMs),
    run_total: difference.runTotal,
    differing_total: difference.valueTotal,
    largest_difference: toValue(largest),
    sentence: difference.sentence,
  };
}

function toValue({ field, atMs, ours, theirs, apart }: marketData.AccuracyValue): Described<'AccuracyValue'> {
  return { field: fieldNamed(field), value_time_utc: toUtc(atMs), recorded_value: ours, venue_value: theirs, apart };
}
