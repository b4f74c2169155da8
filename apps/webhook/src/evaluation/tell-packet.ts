import { randomUUID } from 'node:crypto';
import type { RuleInput } from '@market-state/alert-rules';
import type { Queryable } from '@market-state/postgres';
import type { Ring } from '../lanes/ring';
import { packetCreated, packetMeta, stateChanged } from '../messages/notices';
import { recordMessages } from '../messages/record-messages';
import { insertFanout } from '../store/fanouts';
import { insertPayload, subscribedTenants } from '../store/topics';

/** Tenants whose messages are written with the packet; where there are more, all are left to the fan-out. */
const TENANTS_AT_ONCE = 200;

/** Tells those who subscribed packets or changes of state of this one. */
export async function tellPacket(
  on: Queryable,
  { input, previous, late, nowMs }: { input: RuleInput; previous: RuleInput | undefined; late: boolean; nowMs: number },
): Promise<Ring[]> {
  const created = { eventKind: 'packet.created', data: packetCreated(input, late), pullOnly: late };
  const isChange = previous !== undefined && previous.state !== input.state;
  const kinds = isChange
    ? [created, { eventKind: 'state.changed', data: stateChanged(input, previous.state, late), pullOnly: false }]
    : [created];
  const rings: Ring[] = [];
  for (const kind of kinds) rings.push(...(await tellKind(on, input, kind, nowMs)));
  return rings;
}

async function tellKind(
  on: Queryable,
  input: RuleInput,
  { eventKind, data, pullOnly }: { readonly eventKind: string; readonly data: object; readonly pullOnly: boolean },
  nowMs: number,
): Promise<Ring[]> {
  const { symbol } = input;
  const tenants = await subscribedTenants(on, { eventKind, symbol, after: '', limit: TENANTS_AT_ONCE + 1 });
  if (tenants.length === 0) return [];
  const payloadId = `pay_${randomUUID()}`;
  const occasion = `${eventKind} ${input.event_id}`;
  const shared = { eventKind, occasion, symbol, meta: packetMeta(input) };
  await insertPayload(on, payloadId, data, nowMs);
  if (tenants.length > TENANTS_AT_ONCE) {
    await insertFanout(on, { ...shared, fanoutId: `fan_${randomUUID()}`, payloadId, afterTenantId: '', pullOnly }, nowMs);
    return [];
  }
  const drafts = tenants.map((tenantId) => ({ ...shared, tenantId, data: { payloadId }, credits: 1 as const, pullOnly }));
  return (await recordMessages(on, drafts, nowMs)).rings;
}
