import type { MessageDraft } from '../messages/draft';
import { OPERATIONAL_META } from '../messages/notices';
import type { LockedLane } from '../store/lanes';
import type { Ended } from './attempt-result';

/** Tells the tenant's other endpoints that one was disabled. */
export function disabledDraft({ tenantId, endpointId }: LockedLane, reason: string, nowMs: number): MessageDraft {
  return {
    tenantId,
    eventKind: 'endpoint.disabled',
    occasion: `endpoint.disabled ${endpointId} ${nowMs}`,
    symbol: '',
    data: { endpoint_id: endpointId, reason, disabled_at: new Date(nowMs).toISOString() },
    meta: OPERATIONAL_META,
    credits: 0,
    exceptEndpointId: endpointId,
  };
}

/** Tells the tenant's other endpoints that a message is not tried any more. */
export function exhaustedDraft({ delivery, result }: Ended): MessageDraft {
  const { deliveryId, endpointId, tenantId, message } = delivery;
  return {
    tenantId,
    eventKind: 'message.exhausted',
    occasion: `message.exhausted ${deliveryId}`,
    symbol: '',
    data: { endpoint_id: endpointId, message_id: message.message_id, event_kind: message.event_kind, last_class: result.class },
    meta: OPERATIONAL_META,
    credits: 0,
    exceptEndpointId: endpointId,
  };
}
