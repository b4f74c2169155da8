import type { webhook } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { cutPage, pageTokenFaults, readToken, writeToken } from '@market-state/page-token';
import { idFaults, optionalIdFaults, optionalSpanFaults, refuseFaults } from '@market-state/request-checks';
import { z } from 'zod';
import type { EndpointDeps } from '../endpoints/endpoint';
import { requireEndpoint } from '../endpoints/require-endpoint';
import { listReceipts, type Receipt, type ReceiptCursor } from '../store/attempts';
import { pageSizeFaults, pageSizeOf } from './request-faults';

const OUTCOME =
  /^(?:ok|failed|timeout|dns|guard|tls|connect|reset|too_large|mail_refused|mail_deferred|mail_unavailable|mail_limit|status_[1-5]\d\d)$/;
const TOKEN = z.tuple([z.literal('a1'), z.string(), z.string(), z.int(), z.string()]);

export function showReceipt({ nextAttemptMs, ...receipt }: Receipt): webhook.Attempt {
  return { ...receipt, nextAttemptMs: nextAttemptMs ?? 0 };
}

export async function listAttempts(
  { pool }: Pick<EndpointDeps, 'pool'>,
  request: webhook.ListAttemptsRequest,
): Promise<webhook.ListAttemptsResponse> {
  const { tenantId, endpointId, messageId, outcome, fromMs, toMs, pageSize, pageToken } = request;
  const after = placeOf(request);
  refuseFaults(
    idFaults('tenant_id', tenantId),
    optionalIdFaults('endpoint_id', endpointId),
    optionalIdFaults('message_id', messageId),
    outcome === '' || OUTCOME.test(outcome) ? [] : strangeOutcome(),
    optionalSpanFaults(['from_ms', fromMs], ['to_ms', toMs]),
    pageSizeFaults(pageSize),
    pageTokenFaults(pageToken, after),
  );
  if (endpointId !== '') await requireEndpoint(pool, tenantId, endpointId);
  const most = pageSizeOf(pageSize);
  const found = await listReceipts(pool, { tenantId, endpointId, messageId, outcome, fromMs, toMs }, { after, limit: most + 1 });
  const { page, nextPageToken } = cutPage(found, most, ({ startedMs, attemptId }) =>
    writeToken(['a1', tenantId, questionOf(request), startedMs, attemptId]),
  );
  return { attempts: page.map(showReceipt), nextPageToken };
}

function strangeOutcome(): Fault[] {
  return [{ field: 'outcome', message: 'must be ok, failed, or an attempt outcome', type: 'unsupported' }];
}

function questionOf({ endpointId, messageId, outcome, fromMs, toMs }: webhook.ListAttemptsRequest): string {
  return [endpointId, messageId, outcome, fromMs, toMs].join();
}

function placeOf(request: webhook.ListAttemptsRequest): ReceiptCursor | undefined {
  const values = readToken(TOKEN, request.pageToken);
  if (values === undefined) return undefined;
  const [, ofTenant, question, startedMs, attemptId] = values;
  return ofTenant === request.tenantId && question === questionOf(request) ? { startedMs, attemptId } : undefined;
}
