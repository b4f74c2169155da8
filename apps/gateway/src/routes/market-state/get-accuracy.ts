import type { marketData } from '@market-state/contracts';
import type { DataHealthWatch } from '../../clients/data-health';
import { servedSymbol, servedSymbols } from '../../clients/market-data-client';
import type { Upstreams } from '../../clients/upstreams';
import { dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc, parseInstant } from '../../serving/meta/instant';
import { toAccuracyDay, toAccuracyDifference } from './accuracy/accuracy-rows';

const EVERY_SYMBOL = 'ALL';

export interface AccuracyDeps extends Pick<Upstreams, 'marketData'> {
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
}

/** What was found when recorded values were held against their venue. */
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
  if (days.length === 0) return 'Nothing was compared with the venue in these days.';
  if (openTotal > 0) return `${openTotal} of the measures differ from the venue as of ${toUtc(asOfMs)}.`;
  return 'No measure that was compared differs from the venue now.';
}
