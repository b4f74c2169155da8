import { inTransaction } from '@market-state/postgres';
import { packetDraft } from '../messages/packet-draft';
import { type Recorded, recordMessages } from '../messages/record-messages';
import { deleteFanout, moveFanout, takeFanout } from '../store/fanouts';
import { type SubscribedTenant, subscribedTenants } from '../store/topics';
import type { EvaluatorDeps } from './evaluator-deps';

/** Deliveries that are made at a time, but for the last tenant's. */
const DELIVERIES_A_PAGE = 1_000;

/** Makes the messages of one page of the oldest fan-out. @returns false when there is none */
export async function fanOut({ pool, bell, clock, metrics }: EvaluatorDeps): Promise<boolean> {
  const made = await inTransaction(pool, async (client): Promise<Recorded | undefined> => {
    const fanout = await takeFanout(client);
    if (fanout === undefined) return undefined;
    const { fanoutId, payloadId, eventKind, symbol, occasion, afterTenantId, pullOnly } = fanout;
    const tenants = pageOf(await subscribedTenants(client, { eventKind, symbol, after: afterTenantId, limit: DELIVERIES_A_PAGE }));
    const last = tenants.at(-1);
    if (last === undefined) {
      await deleteFanout(client, fanoutId);
      return { rings: [], leftOut: 0 };
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
  await bell.ring(made.rings);
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
