import type { marketData } from '@market-state/contracts';
import type { DataHealthWatch } from '../../clients/data-health';
import { servedSymbol, servedSymbols } from '../../clients/market-data-client';
import type { Upstreams } from '../../clients/upstreams';
import { dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc, parseInstant } from '../../serving/meta/meta';
import { type Described, documentedWord } from '../../serving/openapi/document';

const measureNamed = documentedWord('AccuracyDay', 'measure');
const sourceNamed = documentedWord('AccuracyDay', 'compared_with');
const reasonNamed = documentedWord('AccuracyDay', 'not_compared_reasons');
const fieldNamed = documentedWord('AccuracyValue', 'field');

function toAccuracyDay(day: marketData.AccuracyDay): Described<'AccuracyDay'> {
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

function toAccuracyDifference(difference: marketData.AccuracyDifference): Described<'AccuracyDifference'> {
  const { largest } = difference;
  if (largest === undefined) throw new Error(`difference ${difference.differenceId} has no differing value`);
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

const EVERY_SYMBOL = 'ALL';

interface AccuracyDeps extends Pick<Upstreams, 'marketData'> {
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
}

/** Results of comparing recorded values with their venue. */
export function getAccuracy({ marketData: client, dataHealth }: AccuracyDeps): Handler<'getAccuracy'> {
  return async (call) => {
    const { symbol, from, to } = call.input.query;
    const instant = (text: string): number => parseInstant(text) ?? 0;
    const served = symbol === EVERY_SYMBOL ? await servedSymbols(client) : [await servedSymbol(client, symbol)];
    const request = { symbol: symbol === EVERY_SYMBOL ? '' : symbol, fromMs: instant(from), toMs: instant(to), asOfMs: 0 };
    const answer = await client.call.getAccuracy(request);
    const differences = answer.differences.map(toAccuracyDifference);
    const open = differences.filter(({ closed_utc: closed }) => closed === null);
    const fields = {
      kept_days: answer.keptDays,
      rows: answer.days.map(toAccuracyDay),
      row_total: answer.days.length,
      differences,
      difference_total: answer.differenceTotal,
      open_difference_total: open.length,
    };
    const source = { ...serviceSource(served, dataHealth, answer.asOfMs), symbol, remark: remarkOf(answer, open.length) };
    return jsonRepresentation(dataAnswer(call, source, fields));
  };
}

function remarkOf({ days, asOfMs }: marketData.GetAccuracyResponse, openTotal: number): string {
  if (days.length === 0) return 'No values were compared with the venue in this period.';
  if (openTotal > 0) return `Open differences from the venue: ${openTotal} (as of ${toUtc(asOfMs)}).`;
  return 'No compared measure currently differs from the venue.';
}
