export { readAccountConfig, type AccountConfig } from './config';
export { createNotices, type Credits } from './credits/credits';
export { grantCredits, grantPlan } from './credits/grants';
export { ledgerAudit } from './credits/ledger-audit';
export { type AccountOverrides } from './deps';
export { bindCreditService } from './rpc/credits/service';
export { startAccount, type AccountServer } from './server';
export { createClaimToken } from './accounts/claim-tokens';
