import { type Fault, isServiceError, type ServiceError } from '@market-state/errors';
import { type FaultItem, InvalidRequest, Problem } from '../serving/errors/problem';
import { toUtc } from '../serving/meta/meta';

export type FieldLocation = 'body' | 'query';

/** Public names where they differ from the webhook service's. */
const PUBLIC_NAMES: ReadonlyMap<string, string> = new Map([
  ['since_ms', 'since'],
  ['until_ms', 'until'],
  ['from_ms', 'from'],
  ['to_ms', 'to'],
  ['endpoint_id', 'webhook_id'],
]);

/** Fields that are always query parameters. */
const QUERY_FIELDS: ReadonlySet<string> = new Set(['page_token', 'page_size', 'from_ms', 'to_ms']);

function toItem({ field, message, type }: Fault, place: FieldLocation): FaultItem {
  if (field === 'page_token') return { loc: ['query', 'cursor'], msg: 'must be a next_cursor from an earlier response of this list', type };
  const [name = '', ...rest] = field.split(/[.[\]]+/);
  const isQuery = place === 'query' || QUERY_FIELDS.has(name);
  const loc = [
    isQuery ? 'query' : place,
    isQuery && name === 'event_kinds' ? 'kinds' : (PUBLIC_NAMES.get(name) ?? name),
    ...rest.filter(Boolean).map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
  ];
  return { loc, msg: message.replace(/\w+/g, (word) => PUBLIC_NAMES.get(word) ?? word), type };
}

/** The endpoint is unverified or disabled. */
function wrongState({ message, metadata, reason }: ServiceError): Problem {
  const { status, disabled_reason: disabledReason = '' } = metadata;
  if (reason === 'endpoint_not_live' && status === 'test_pending') return new Problem('test_required', message);
  return new Problem('endpoint_not_live', message, { members: disabledReason === '' ? {} : { disabled_reason: disabledReason } });
}

/** Maps the service's validation errors to the public request. */
export async function fromWebhooks<T>(answer: Promise<T>, place: FieldLocation = 'body'): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (error.code === 'INVALID_ARGUMENT' && error.faults.length > 0)
      throw new InvalidRequest(error.faults.map((fault) => toItem(fault, place)));
    if (error.reason === 'endpoint_not_live' || error.reason === 'endpoint_disabled') throw wrongState(error);
    throw error;
  }
}

/** Also maps an instant beyond retention to a validation error. */
export async function fromSpan<T>(answer: Promise<T>): Promise<T> {
  try {
    return await fromWebhooks(answer);
  } catch (error) {
    if (!isServiceError(error, 'beyond_retention')) throw error;
    const oldest = toUtc(Number(error.metadata['oldest_ms'] ?? 0));
    const msg = `must lie within the last 14 days: messages are retained since ${oldest}`;
    throw new InvalidRequest([{ loc: ['body', 'since'], msg, type: 'beyond_retention' }]);
  }
}
