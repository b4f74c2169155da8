import { isPricedByParameters } from '@market-state/pricing';
import type { Operation } from '../../src/serving/openapi/operations';
import type { BootedGateway } from './boot';
import { answersWithEvents } from './good-requests';
import type { RawRequest, RawResponse } from './http-client';

const ESTIMATE = '/api/public/market-state/usage/estimate';
const ROW_LISTS = [
  'rows',
  'packets',
  'receipts',
  'jobs',
  'shares',
  'watchlists',
  'alerts',
  'saved_searches',
  'webhooks',
  'attempts',
  'events',
];

/** Estimate of a call. */
export interface Reported {
  readonly row_total: number | null;
  readonly row_total_is: string;
  readonly byte_total: number | null;
  readonly byte_total_is: string;
  readonly quote_id: string;
  readonly estimated_market_state_credit_cost: number;
}

/**
 * True if a call's quote can be compared with its answer here. Replay rows come from the data plane, which is a
 * stand-in: those are compared on the running product.
 */
export function hasComparableQuote(operation: Operation): boolean {
  const { price, servedAs } = operation;
  if (price === null || !isPricedByParameters(price) || answersWithEvents(operation)) return false;
  return servedAs !== 'estimateUsage' && servedAs !== 'getReplayWindow';
}

/** Query of an estimate: the call's path, query and body combined. */
function queryOf({ path: template, method }: Operation, path: string, body: string | undefined): string {
  const url = new URL(path, 'http://gateway');
  const search = new URLSearchParams({ route: template, method: method.toUpperCase() });
  const values = url.pathname.split('/');
  for (const [at, part] of template.split('/').entries()) if (part.startsWith('{')) search.set(part.slice(1, -1), values[at] ?? '');
  for (const [name, value] of url.searchParams) search.set(name, value);
  const fields = Object.entries(JSON.parse(body ?? '{}') as Record<string, unknown>);
  for (const [name, value] of fields) search.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return search.toString();
}

/** Rows as the estimate counts them; null unless the answer is JSON. */
function rowsIn(contentType: string, text: string): number | null {
  if (!contentType.startsWith('application/json')) return null;
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (Array.isArray(body['bids']) && Array.isArray(body['asks'])) return body['bids'].length + body['asks'].length;
  const list = ROW_LISTS.map((name) => body[name]).find(
    (value) => Array.isArray(value) && ('next_cursor' in body || body['rows'] === value),
  );
  return Array.isArray(list) ? list.length : 1;
}

/** Makes a call with its quote and compares both. */
export async function expectQuoted(
  booted: BootedGateway,
  operation: Operation,
  { path, ...request }: RawRequest & { readonly path: string },
): Promise<RawResponse> {
  const estimate = await booted.keyed(`${ESTIMATE}?${queryOf(operation, path, request.body as string | undefined)}`);
  expect([estimate.status, estimate.status === 200 ? '' : estimate.text]).toEqual([200, '']);
  const reported = estimate.json<Reported>();
  const answer = await booted.keyed(path, { ...request, headers: { ...request.headers, 'x-quote-id': reported.quote_id } });
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  expect(Number(answer.headers['x-credits-charged'])).toBeLessThanOrEqual(reported.estimated_market_state_credit_cost);
  const rows = rowsIn(String(answer.headers['content-type']), answer.text);
  if (reported.row_total_is === 'unknown') expect(reported.row_total).toBeNull();
  else if (reported.row_total_is === 'exact') expect(rows).toBe(reported.row_total);
  else if (rows !== null) expect(rows).toBeLessThanOrEqual(reported.row_total ?? 0);
  return answer;
}
