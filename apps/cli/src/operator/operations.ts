export { auditLedger, giveCredits, makeClaimToken } from './credits';
export { issueKey, listKeys, revokeKey } from './keys';
export { approveOrder, listOrders } from './orders';
export { createTenant, listTenants, setPlan, setTenantDisabled } from './tenants';
