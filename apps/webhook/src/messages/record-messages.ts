import { randomBytes } from 'node:crypto';
import type { Queryable } from '@market-state/postgres';
import { formatMessageId, MESSAGE_ID_RANDOM_SIZE_BYTES } from '@market-state/webhook-signing';
import { newId } from '../ids';
import { type Ring, ringLanes } from '../lanes/ring';
import { findReceivers, insertDeliveries, insertMessages, takePositions } from '../store/messages';
import type { MessageDraft } from './draft';

/**
 * Writes messages and their deliveries in the caller's transaction. Nobody learns of them before its commit, after which the rings are
 * given to the bell. What was told before is not told again.
 */
export async function recordMessages(on: Queryable, drafts: readonly MessageDraft[], nowMs: number): Promise<{ readonly rings: Ring[] }> {
  if (drafts.length === 0) return { rings: [] };
  const next = await takePositions(on, countByTenant(drafts));
  const messages = drafts.map((draft) => {
    const position = next.get(draft.tenantId) ?? 0;
    next.set(draft.tenantId, position + 1);
    return { ...draft, messageId: formatMessageId(nowMs, randomBytes(MESSAGE_ID_RANDOM_SIZE_BYTES)), position };
  });
  const written = await insertMessages(on, messages, nowMs);
  const fresh = messages.filter(({ messageId }) => written.has(messageId));
  const receivers = await findReceivers(on, fresh);
  const credits = new Map(fresh.map((message) => [message.messageId, message]));
  const deliveries = receivers.flatMap(({ messageId, endpointId }) => {
    const message = credits.get(messageId);
    return message === undefined ? [] : [{ ...message, endpointId, deliveryId: newId('dlv') }];
  });
  await insertDeliveries(on, deliveries, nowMs);
  return { rings: await ringLanes(on, [...new Set(deliveries.map(({ endpointId }) => endpointId))], nowMs) };
}

function countByTenant(drafts: readonly MessageDraft[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { tenantId } of drafts) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
  return counts;
}
