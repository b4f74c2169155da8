import { invalidArgument } from '@market-state/errors';
import { InvalidRequest } from '../serving/errors/problem';
import { operationById } from '../serving/openapi/operations';
import { fromWebhooks } from './from-webhooks';
import { fromExports } from './show-job';

const MALFORMED = { message: 'must be 1 to 255 printable ASCII characters', type: 'malformed' };

async function locationsOf(answer: Promise<unknown>): Promise<readonly (readonly (string | number)[])[]> {
  const thrown: unknown = await answer.catch((error: unknown) => error);
  if (!(thrown instanceof InvalidRequest)) throw thrown;
  return thrown.faults.map(({ loc }) => loc);
}

it.each([
  ['getWatchlist', 'watchlist_id', ['path', 'watchlist_id']],
  ['updateWatchlist', 'watchlist_id', ['path', 'watchlist_id']],
  ['rehearseWatchlist', 'watchlist_id', ['path', 'watchlist_id']],
  ['rehearseWatchlist', 'from_ms', ['body', 'from']],
  ['rehearseAlerts', 'to_ms', ['body', 'to']],
  ['deleteAlert', 'watchlist_id', ['path', 'alert_id']],
  ['getSavedSearchResults', 'saved_search_id', ['path', 'saved_search_id']],
  ['getWebhook', 'endpoint_id', ['path', 'webhook_id']],
  ['updateWebhook', 'event_kinds', ['body', 'event_kinds']],
  ['updateWebhook', 'symbols[1]', ['body', 'symbols', 1]],
  ['recoverWebhook', 'since_ms', ['body', 'since']],
  ['getWebhookTask', 'task_id', ['path', 'task_id']],
  ['resendWebhookEvent', 'message_id', ['path', 'message_id']],
  ['resendWebhookEvent', 'endpoint_id', ['body', 'webhook_id']],
  ['listWebhookDeliveries', 'endpoint_id', ['query', 'webhook_id']],
  ['listWebhookDeliveries', 'from_ms', ['query', 'from']],
  ['listWebhookEvents', 'event_kinds', ['query', 'kinds']],
  ['listWebhooks', 'page_size', ['query', 'limit']],
])('a fault of %s in %s is located where the request has it', async (operationId, field, loc) => {
  const call = { operation: operationById(operationId) };
  expect(await locationsOf(fromWebhooks(call, Promise.reject(invalidArgument([{ field, ...MALFORMED }]))))).toEqual([loc]);
});

it('ids of export jobs and names of their files are in the path', async () => {
  const faults = ['job_id', 'name', 'spec.columns[1]'].map((field) => ({ field, ...MALFORMED }));
  const located = [
    ['path', 'job_id'],
    ['path', 'name'],
    ['body', 'columns', 1],
  ];
  expect(await locationsOf(fromExports(Promise.reject(invalidArgument(faults))))).toEqual(located);
});
