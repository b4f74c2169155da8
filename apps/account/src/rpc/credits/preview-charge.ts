import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { idFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/preview-charge';
import { fromProtoKind, keyIdFaults, toProtoBalance, toProtoRefusal } from './wire';

/** What a call of some cost would meet and leave. */
export async function previewCharge(credits: Credits, request: account.PreviewChargeRequest): Promise<account.PreviewChargeResponse> {
  const kind = fromProtoKind(request.kind);
  const faults = [
    ...idFaults('tenant_id', request.tenantId),
    ...keyIdFaults(request.keyId),
    ...(kind === undefined ? [{ field: 'kind', message: 'must be a kind of credit', type: 'required' }] : []),
  ];
  if (faults.length > 0 || kind === undefined) throw invalidArgument(faults);
  const { tenantId, keyId = null, credits: needed } = request;
  const { balances, refusal, after } = await ledger.previewCharge(credits, { tenantId, keyId, kind, needed });
  return {
    balances: balances.map(toProtoBalance),
    ...(refusal === null ? {} : { refusal: toProtoRefusal(refusal) }),
    marketStateAfter: after.market_state,
    exportAfter: after.export,
  };
}
