import { inTransaction } from '@market-state/postgres';
import type { Ring } from '../lanes/ring';
import { recordMessages } from '../messages/record-messages';
import { deleteFanout, moveFanout, takeFanout } from '../store/fanouts';
import { subscribedTenants } from '../store/topics';
import type { EvaluatorDeps } from './evaluator-deps';

const TENANTS_A_PAGE = 1_000;

/** Makes the messages of one page of the oldest fan-out. @returns false when there is none */
export async function fanOut({ pool, bell, clock }: EvaluatorDeps): Promise<boolean> {
  const made = await inTransaction(pool, async (client): Promise<Ring[] | undefined> => {
    const fanout = await takeFanout(client);
    if (fanout === undefined) return undefined;
    const { fanoutId, payloadId, eventKind, symbol, occasion, meta, afterTenantId, pullOnly } = fanout;
    const tenants = await subscribedTenants(client, { eventKind, symbol, after: afterTenantId, limit: TENANTS_A_PAGE });
    const last = tenants.at(-1);
    if (last === undefined) {
      await deleteFanout(client, fanoutId);
      return [];
    }
    const shared = { eventKind, occasion, symbol, data: { payloadId }, meta, credits: 1 as const, pullOnly };
    const drafts = tenants.map((tenantId) => ({ ...shared, tenantId }));
    await moveFanout(client, fanoutId, last);
    return (await recordMessages(client, drafts, clock())).rings;
  });
  if (made !== undefined) await bell.ring(made);
  return made !== undefined;
}
