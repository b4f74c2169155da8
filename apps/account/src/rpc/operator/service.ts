import { account } from '@market-state/contracts';
import { bindService, type BoundService } from '@market-state/grpc';
import { whileAvailable } from '../while-available';
import { createApproveOrder } from './approve-order';
import { createAuditLedger } from './audit-ledger';
import { createCreateClaimToken } from './claim-token';
import { createEnsureTenant, type OperatorDeps } from './ensure-tenant';
import { createListOrders } from './list-orders';
import { createGrantCredits, createListTenants, createSetTenantDisabled } from './tenants';

export function bindOperatorService(deps: OperatorDeps): BoundService {
  return bindService(account.OperatorServiceService, {
    ensureTenant: whileAvailable(createEnsureTenant(deps)),
    listTenants: whileAvailable(createListTenants(deps)),
    createClaimToken: whileAvailable(createCreateClaimToken(deps)),
    grantCredits: whileAvailable(createGrantCredits(deps)),
    setTenantDisabled: whileAvailable(createSetTenantDisabled(deps)),
    listOrders: whileAvailable(createListOrders(deps)),
    approveOrder: whileAvailable(createApproveOrder(deps)),
    auditLedger: whileAvailable(createAuditLedger(deps)),
  });
}
