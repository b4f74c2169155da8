import { limitsOf } from '@market-state/pricing';
import type { SubscribedTenant } from '../store/topics';
import type { MessageDraft } from './draft';

/** What a tenant is told of a packet, from a payload that all share. */
export function packetDraft(
  { tenantId, planIds }: SubscribedTenant,
  shared: Pick<MessageDraft, 'eventKind' | 'occasion' | 'symbol' | 'pullOnly'> & { readonly payloadId: string },
): MessageDraft {
  const dayMax = Math.max(...planIds.map((planId) => limitsOf(planId).messagesPerDay));
  return { ...shared, tenantId, data: null, meta: null, credits: 1, dayMax };
}
