import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { idFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/preview-charge';
import { fromProtoKind, toProtoBalance, toProtoRefusal } from './wire';

/** What a call of some cost would meet and leave. */
export async function previewCharge(credits: Credits, request: account.PreviewChargeRequest): Promise<account.PreviewChargeResponse> {
  const kind = fromProtoKind(request.kind);
  const faults = [
    ...idFaults('tenant_id', request.tenantId),
    ...(kind === undefined ? [{ field: 'kind', message: 'must be a kind of credit', type: 'required' }] : []),
  ];
  if (faults.length > 0 || kind === undefined) throw invalidArgument(faults);
  const { balances, refusal, after } = await ledger.previewCharge(credits, request.tenantId, kind, request.credits);
  return {
    balances: balances.map(toProtoBalance),
    ...(refusal === null ? {} : { refusal: toProtoRefusal(refusal) }),
    marketStateAfter: after.market_state,
    exportAfter: after.export,
  };
}
