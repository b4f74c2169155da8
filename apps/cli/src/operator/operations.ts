export { approveOrder, auditLedger, giveCredits, makeClaimToken } from './credits';
export { issueKey, listKeys, revokeKey } from './keys';
export { createTenant, listTenants, setPlan, setTenantDisabled } from './tenants';
