import { isServiceError } from '@market-state/errors';
import { fromWebhooks, type RequestPlace } from '../../../clients/webhooks/from-webhooks';
import { InvalidRequest } from '../../../serving/errors/problem';

/** The answer of a call about watchlists; what it finds wrong is reported as faults of the public request. */
export const fromWatchlists = <T>(answer: Promise<T>, place: RequestPlace = 'body'): Promise<T> => fromWebhooks(answer, place);

/** The same of one alert, whose request has a rule and a symbol in place of lists. */
export async function fromAlerts<T>(answer: Promise<T>, place: RequestPlace = 'body'): Promise<T> {
  try {
    return await fromWebhooks(answer, place);
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    throw new InvalidRequest(error.faults.map(({ loc, ...rest }) => ({ ...rest, loc: toOne(loc) })));
  }
}

/** `rules[0].params` is `rule.params` there, and `symbols[0]` is `symbol`. */
function toOne(loc: readonly (string | number)[]): (string | number)[] {
  const [place = 'body', list, , ...rest] = loc;
  if (list !== 'rules' && list !== 'symbols') return [...loc];
  return [place, list === 'rules' ? 'rule' : 'symbol', ...rest];
}

/** The same of a rehearsal, of which a span that is too long, or of which nothing is kept, is a fault. */
export async function fromRehearsal<T>(answer: Promise<T>): Promise<T> {
  try {
    return await fromWebhooks(answer);
  } catch (error) {
    if (!isServiceError(error, 'rehearsal_too_long') && !isServiceError(error, 'beyond_retention')) throw error;
    throw new InvalidRequest([{ loc: ['body', 'from'], msg: error.message, type: error.reason }]);
  }
}
