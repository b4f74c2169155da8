import { randomUUID } from 'node:crypto';
import type { RuleInput } from '@market-state/alert-rules';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { limitsOf } from '@market-state/pricing';
import { type MessageDraft, packetCreated, packetMeta, stateChanged } from '../messages/message';
import { type Recorded, recordMessages } from '../messages/record-messages';
import { deleteFanout, insertFanout, insertPayloads, moveFanout, takeFanout } from '../store/messages';
import { type SubscribedTenant, subscribedTenants } from '../store/receivers';
import type { EvaluatorDeps } from './evaluator-deps';

/** Maximum deliveries written with the packet; beyond it all are left to the fan-out. */
const DELIVERIES_AT_ONCE = 200;
/** Deliveries per page; the last tenant of a page may exceed it. */
const DELIVERIES_A_PAGE = 1_000;

/** If there are many, they are left to the fan-out. */
export async function draftPacket(
  on: Queryable,
  { input, previous, late, nowMs }: { input: RuleInput; previous: RuleInput | undefined; late: boolean; nowMs: number },
): Promise<MessageDraft[]> {
  const created = { eventKind: 'packet.created', data: packetCreated(input, late), pullOnly: late };
  const isChange = previous !== undefined && previous.state !== input.state;
  const kinds = isChange
    ? [created, { eventKind: 'state.changed', data: stateChanged(input, previous.state, late), pullOnly: false }]
    : [created];
  const drafts: MessageDraft[] = [];
  for (const kind of kinds) drafts.push(...(await draftKind(on, input, kind, nowMs)));
  return drafts;
}

async function draftKind(
  on: Queryable,
  input: RuleInput,
  { eventKind, data, pullOnly }: { readonly eventKind: string; readonly data: object; readonly pullOnly: boolean },
  nowMs: number,
): Promise<MessageDraft[]> {
  const { symbol } = input;
  const tenants = await subscribedTenants(on, { eventKind, symbol, after: '', limit: DELIVERIES_AT_ONCE + 1 });
  if (tenants.length === 0) return [];
  const payloadId = `pay_${randomUUID()}`;
  const occasion = `${eventKind} ${input.event_id}`;
  const shared = { eventKind, occasion, symbol };
  await insertPayloads(on, [{ payloadId, data, meta: packetMeta(input) }], nowMs);
  if (deliveriesOf(tenants) > DELIVERIES_AT_ONCE) {
    await insertFanout(on, { ...shared, fanoutId: `fan_${randomUUID()}`, payloadId, afterTenantId: '', pullOnly }, nowMs);
    return [];
  }
  return tenants.map((tenant) => packetDraft(tenant, { ...shared, payloadId, pullOnly }));
}

const deliveriesOf = (tenants: readonly SubscribedTenant[]): number => tenants.reduce((total, { endpoints }) => total + endpoints, 0);

/** One page of the oldest fan-out. @returns false if there is none */
export async function fanOut({ pool, notifier, clock, metrics }: EvaluatorDeps): Promise<boolean> {
  const made = await inTransaction(pool, async (client): Promise<Recorded | undefined> => {
    const fanout = await takeFanout(client);
    if (fanout === undefined) return undefined;
    const { fanoutId, payloadId, eventKind, symbol, occasion, afterTenantId, pullOnly } = fanout;
    const tenants = pageOf(await subscribedTenants(client, { eventKind, symbol, after: afterTenantId, limit: DELIVERIES_A_PAGE }));
    const last = tenants.at(-1);
    if (last === undefined) {
      await deleteFanout(client, fanoutId);
      return { wakeUps: [], leftOut: 0 };
    }
    const shared = { eventKind, occasion, symbol, payloadId, pullOnly };
    await moveFanout(client, fanoutId, last.tenantId);
    return recordMessages(
      client,
      tenants.map((tenant) => packetDraft(tenant, shared)),
      clock(),
    );
  });
  if (made === undefined) return false;
  await notifier.notify(made.wakeUps);
  metrics.leftOut(made.leftOut);
  return true;
}

function pageOf(tenants: readonly SubscribedTenant[]): SubscribedTenant[] {
  let deliveries = 0;
  return tenants.filter(({ endpoints }) => {
    const isIn = deliveries < DELIVERIES_A_PAGE;
    deliveries += endpoints;
    return isIn;
  });
}

function packetDraft(
  { tenantId, planIds }: SubscribedTenant,
  shared: Pick<MessageDraft, 'eventKind' | 'occasion' | 'symbol' | 'pullOnly'> & { readonly payloadId: string },
): MessageDraft {
  const dayMax = Math.max(...planIds.map((planId) => limitsOf(planId).messagesPerDay));
  return { ...shared, tenantId, data: null, meta: null, credits: 1, dayMax };
}
