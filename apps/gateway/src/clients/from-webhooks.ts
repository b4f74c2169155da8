import { type Fault, isServiceError, type ServiceError } from '@market-state/errors';
import { type FaultItem, InvalidRequest, Problem } from '../serving/errors/problem';
import { toUtc } from '../serving/meta/meta';
import type { Operation } from '../serving/openapi/operations';

/** Public names where they differ from the webhook service's. */
const PUBLIC_NAMES: ReadonlyMap<string, string> = new Map([
  ['since_ms', 'since'],
  ['until_ms', 'until'],
  ['from_ms', 'from'],
  ['to_ms', 'to'],
  ['endpoint_id', 'webhook_id'],
]);

/** Further names of fields that are parameters of some operations. */
const PARAMETER_NAMES: ReadonlyMap<string, string> = new Map([
  ['event_kinds', 'kinds'],
  ['watchlist_id', 'alert_id'],
  ['page_size', 'limit'],
]);

/** A field that is no parameter of the operation is in its body. */
function locationOf({ parameters }: Pick<Operation, 'parameters'>, field: string): [string, string] {
  const publicName = PUBLIC_NAMES.get(field) ?? field;
  const names = [PARAMETER_NAMES.get(field), publicName];
  const found = parameters.find(({ name }) => names.includes(name));
  return found === undefined ? ['body', publicName] : [found.in, found.name];
}

function toItem({ field, message, type }: Fault, operation: Pick<Operation, 'parameters'>): FaultItem {
  if (field === 'page_token') return { loc: ['query', 'cursor'], msg: 'must be a next_cursor from an earlier response of this list', type };
  const [name = '', ...rest] = field.split(/[.[\]]+/);
  const loc = [...locationOf(operation, name), ...rest.filter(Boolean).map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
  return { loc, msg: message.replace(/\w+/g, (word) => PUBLIC_NAMES.get(word) ?? word), type };
}

/** The endpoint is unverified or disabled. */
function wrongState({ message, metadata, reason }: ServiceError): Problem {
  const { status, disabled_reason: disabledReason = '' } = metadata;
  if (reason === 'endpoint_not_live' && status === 'test_pending') return new Problem('test_required', message);
  return new Problem('endpoint_not_live', message, { members: disabledReason === '' ? {} : { disabled_reason: disabledReason } });
}

export interface CalledOperation {
  readonly operation: Pick<Operation, 'parameters'>;
}

/** Maps the service's validation errors to the public request. */
export async function fromWebhooks<T>({ operation }: CalledOperation, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (error.code === 'INVALID_ARGUMENT' && error.faults.length > 0)
      throw new InvalidRequest(error.faults.map((fault) => toItem(fault, operation)));
    if (error.reason === 'endpoint_not_live' || error.reason === 'endpoint_disabled') throw wrongState(error);
    throw error;
  }
}

/** Also maps an instant beyond retention to a validation error. */
export async function fromSpan<T>(call: CalledOperation, answer: Promise<T>): Promise<T> {
  try {
    return await fromWebhooks(call, answer);
  } catch (error) {
    if (!isServiceError(error, 'beyond_retention')) throw error;
    const oldest = toUtc(Number(error.metadata['oldest_ms'] ?? 0));
    const msg = `must lie within the last 14 days: messages are retained since ${oldest}`;
    throw new InvalidRequest([{ loc: ['body', 'since'], msg, type: 'beyond_retention' }]);
  }
}
