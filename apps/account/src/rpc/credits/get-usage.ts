import type { account } from '@market-state/contracts';
import { idFaults, instantFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/usage';
import { keyIdFaults } from './wire';

const USAGE_SPAN_MS_MAX = 366 * 86_400_000;

/** What a tenant used, by day. */
export async function getUsage(
  credits: Credits,
  { tenantId, fromTsMs, toTsMs, workloadFamily, keyId }: account.GetUsageRequest,
): Promise<account.GetUsageResponse> {
  const isSpan = toTsMs > fromTsMs && toTsMs - fromTsMs <= USAGE_SPAN_MS_MAX;
  refuseFaults([
    ...idFaults('tenant_id', tenantId),
    ...instantFaults('from_ts_ms', fromTsMs),
    ...(isSpan
      ? instantFaults('to_ts_ms', toTsMs)
      : [{ field: 'to_ts_ms', message: 'must lie after from_ts_ms, at most 366 days', type: 'out_of_range' }]),
    ...optionalIdFaults('workload_family', workloadFamily),
    ...keyIdFaults(keyId),
  ]);
  const rows = await ledger.getUsage(credits, {
    tenantId,
    fromMs: fromTsMs,
    toMs: toTsMs,
    workloadFamily: workloadFamily === '' ? null : workloadFamily,
    keyId: keyId ?? null,
  });
  return { rows: rows.map(({ dayMs, ...row }) => ({ dayTsMs: dayMs, ...row })) };
}
