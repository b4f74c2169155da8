import { randomBytes } from 'node:crypto';
import type { Queryable } from '@market-state/postgres';
import { formatMessageId, MESSAGE_ID_RANDOM_SIZE_BYTES } from '@market-state/webhook-signing';
import { newId } from '../ids';
import { type Ring, ringLanes } from '../lanes/ring';
import { countAboutPackets, findReceivers, insertDeliveries, insertMessages, takePositions } from '../store/messages';
import type { MessageDraft } from './draft';

const DAY_MS = 86_400_000;

/** What came of drafts. */
export interface Recorded {
  readonly rings: Ring[];
  /** Messages that the plans of their tenants have no more of on the day. */
  readonly leftOut: number;
}

/**
 * Writes messages and their deliveries in the caller's transaction. Nobody learns of them before its commit, after which the rings are
 * given to the bell. What was told before is not told again.
 */
export async function recordMessages(on: Queryable, drafts: readonly MessageDraft[], nowMs: number): Promise<Recorded> {
  if (drafts.length === 0) return { rings: [], leftOut: 0 };
  const kept = await withinDay(on, drafts, await takePositions(on, countByTenant(drafts)), nowMs);
  const size = MESSAGE_ID_RANDOM_SIZE_BYTES;
  const random = randomBytes(kept.length * size);
  const messages = kept.map(({ draft, position }, index) => {
    const messageId = formatMessageId(nowMs, random.subarray(index * size, (index + 1) * size));
    return { ...draft, messageId, position };
  });
  const leftOut = drafts.length - messages.length;
  if (messages.length === 0) return { rings: [], leftOut };
  const written = await insertMessages(on, messages, nowMs);
  const deliveries = (await findReceivers(on, written)).map((receiver) => ({ ...receiver, deliveryId: newId('dlv') }));
  await insertDeliveries(on, deliveries, nowMs);
  return { rings: await ringLanes(on, [...new Set(deliveries.map(({ endpointId }) => endpointId))], nowMs), leftOut };
}

/** Drafts with their places, without those that their tenants' plans have no more of on the day. */
async function withinDay(on: Queryable, drafts: readonly MessageDraft[], next: Map<string, number>, nowMs: number) {
  const limited = countByTenant(drafts.filter(({ dayMax }) => dayMax !== undefined));
  const counted = limited.size === 0 ? new Map<string, number>() : await countAboutPackets(on, limited, Math.floor(nowMs / DAY_MS));
  return drafts.flatMap((draft) => {
    const { tenantId, dayMax } = draft;
    if (dayMax !== undefined) {
      const total = (counted.get(tenantId) ?? 0) + 1;
      counted.set(tenantId, total);
      if (total > dayMax) return [];
    }
    const position = next.get(tenantId) ?? 0;
    next.set(tenantId, position + 1);
    return [{ draft, position }];
  });
}

function countByTenant(drafts: readonly MessageDraft[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { tenantId } of drafts) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
  return counts;
}
