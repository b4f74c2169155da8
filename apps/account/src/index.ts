export { readAccountConfig, type AccountConfig } from './config';
export { createNotices, type Credits, grantCredits, grantPlan, ledgerAudit } from './credits';
export { type AccountOverrides } from './deps';
export { bindCreditService } from './rpc/credits/service';
export { startAccount, type AccountServer } from './server';
export { createClaimToken } from './accounts/claim-tokens';
