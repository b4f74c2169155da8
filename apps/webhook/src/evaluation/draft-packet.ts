import { randomUUID } from 'node:crypto';
import type { RuleInput } from '@market-state/alert-rules';
import type { Queryable } from '@market-state/postgres';
import type { MessageDraft } from '../messages/draft';
import { packetDraft } from '../messages/packet-draft';
import { packetCreated, packetMeta, stateChanged } from '../messages/notices';
import { insertFanout } from '../store/fanouts';
import { insertPayloads } from '../store/payloads';
import { type SubscribedTenant, subscribedTenants } from '../store/topics';

/** Deliveries that are written with the packet; where there are more, all are left to the fan-out. */
const DELIVERIES_AT_ONCE = 200;

/** What those who subscribed packets or changes of state are told of this one; where they are many, it is left to the fan-out. */
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
