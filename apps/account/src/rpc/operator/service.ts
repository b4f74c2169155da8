import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '../database-error';
import { approveOrder } from './approve-order';
import { auditLedger } from './audit-ledger';
import { createClaimToken } from './create-claim-token';
import { ensureTenant, type OperatorDeps } from './ensure-tenant';
import { grantCredits } from './grant-credits';
import { listOrders } from './list-orders';
import { listTenants } from './list-tenants';
import { setTenantDisabled } from './set-tenant-disabled';

export function bindOperatorService(deps: OperatorDeps): BoundService {
  const handlers = {
    ensureTenant,
    listTenants,
    createClaimToken,
    grantCredits,
    setTenantDisabled,
    listOrders,
    approveOrder,
    auditLedger,
  };
  return bindService(account.OperatorServiceService, withDeps(deps, handlers), orUnavailable);
}
