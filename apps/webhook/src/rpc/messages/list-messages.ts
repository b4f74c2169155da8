import type { webhook } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { readToken, writeToken } from '@market-state/page-token';
import { idFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import { z } from 'zod';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { eventKindFaults } from '../../endpoints/faults';
import type { MessageRow } from '../../messages/body';
import { listMessages as list, newestPosition } from '../../store/kept-messages';
import { pause } from '../../endpoints/pause';
import { pageSizeFaults, pageSizeOf, strangeToken } from '../page-size';
import { showMessage } from './show-message';

const WAIT_MS_MAX = 20_000;
const POLL_MS = 250;

const TOKEN = z.tuple([z.literal('m1'), z.string(), z.int().min(0)]);

/** Messages in the one order of a tenant; without new ones it waits. The token advances by what is given, and by nothing else. */
export async function listMessages(
  { pool, stopping }: Pick<EndpointDeps, 'pool' | 'stopping'>,
  request: webhook.ListMessagesRequest,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<webhook.ListMessagesResponse> {
  const { tenantId, eventKinds, pageSize, pageToken, waitMs } = request;
  const after = pageToken === '' ? 0 : positionOf(request);
  refuseFaults(
    idFaults('tenant_id', tenantId),
    eventKindFaults(eventKinds, 0),
    pageSizeFaults(pageSize),
    rangeFaults('wait_ms', waitMs, 0, WAIT_MS_MAX),
    after === undefined ? strangeToken() : [],
  );
  const wanted = { after: after ?? 0, eventKinds, limit: pageSizeOf(pageSize) };
  const endMs = performance.now() + waitMs;
  let looked = -1;
  let found: MessageRow[] = [];
  for (;;) {
    // Positions become visible in their order: below the newest, none is still to come.
    const newest = await newestPosition(pool, tenantId);
    if (newest > looked) found = await list(pool, tenantId, { ...wanted, after: Math.max(wanted.after, looked) });
    looked = newest;
    const leftMs = endMs - performance.now();
    if (found.length > 0 || leftMs <= 0 || stopping.aborted) break;
    await pause(Math.min(POLL_MS, leftMs), { signal, stopping });
  }
  const last = found.at(-1);
  return {
    messages: found.map(showMessage),
    nextPageToken: writeToken(['m1', tenantId, last === undefined ? wanted.after : Number(last.position)]),
  };
}

function positionOf({ tenantId, pageToken }: webhook.ListMessagesRequest): number | undefined {
  const values = readToken(TOKEN, pageToken);
  return values?.[1] === tenantId ? values[2] : undefined;
}
