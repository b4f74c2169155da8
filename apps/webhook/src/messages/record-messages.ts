import { randomBytes } from 'node:crypto';
import type { Queryable } from '@market-state/postgres';
import { formatMessageId, MESSAGE_ID_RANDOM_SIZE_BYTES as RANDOM_SIZE_BYTES } from '@market-state/webhook-signing';
import type { WakeUp } from '../delivery/wake-ups';
import { newId } from '../ids';
import { wakeQueues } from '../store/endpoint-queues';
import { countAboutPackets, insertMessages, type PlacedMessage, takePositions } from '../store/messages';
import { createAudiences, findReceivers, insertDeliveries } from '../store/receivers';
import type { MessageDraft } from './message';

const DAY_MS = 86_400_000;

export interface Recorded {
  readonly wakeUps: WakeUp[];
  readonly leftOut: number;
}

/** Pass the wake-ups to the notifier after the caller's commit. Idempotent: an occasion is recorded once per tenant. */
export async function recordMessages(on: Queryable, drafts: readonly MessageDraft[], nowMs: number): Promise<Recorded> {
  if (drafts.length === 0) return { wakeUps: [], leftOut: 0 };
  const place = await placing(on, drafts, nowMs);
  const audiences = createAudiences();
  const { total, repeated } = await insertMessages(on, drafts, nowMs, (slice) => {
    const placed = place(slice);
    audiences.add(placed);
    return placed;
  });
  const receivers = (await findReceivers(on, audiences.list())).filter(({ message }) => !repeated.has(message.messageId));
  const deliveries = receivers.map((receiver) => ({ ...receiver, deliveryId: newId('dlv') }));
  await insertDeliveries(on, deliveries, nowMs);
  const wakeUps = await wakeQueues(on, [...new Set(deliveries.map(({ endpointId }) => endpointId))], nowMs);
  return { wakeUps, leftOut: drafts.length - total };
}

/** Assigns ids and positions in order; drops drafts beyond the tenant's daily quota. */
async function placing(on: Queryable, drafts: readonly MessageDraft[], nowMs: number) {
  const next = await takePositions(on, countByTenant(drafts));
  const limited = countByTenant(drafts.filter(({ dayMax }) => dayMax !== undefined));
  const counted = limited.size === 0 ? new Map<string, number>() : await countAboutPackets(on, limited, Math.floor(nowMs / DAY_MS));
  const isLeftOut = ({ tenantId, dayMax }: MessageDraft): boolean => {
    if (dayMax === undefined) return false;
    const total = (counted.get(tenantId) ?? 0) + 1;
    counted.set(tenantId, total);
    return total > dayMax;
  };
  return (slice: readonly MessageDraft[]): PlacedMessage[] => {
    const random = randomBytes(slice.length * RANDOM_SIZE_BYTES);
    return slice.flatMap((draft, index) => {
      if (isLeftOut(draft)) return [];
      const position = next.get(draft.tenantId) ?? 0;
      next.set(draft.tenantId, position + 1);
      const messageId = formatMessageId(nowMs, random.subarray(index * RANDOM_SIZE_BYTES, (index + 1) * RANDOM_SIZE_BYTES));
      return [{ draft, messageId, position }];
    });
  };
}

function countByTenant(drafts: readonly MessageDraft[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { tenantId } of drafts) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
  return counts;
}
