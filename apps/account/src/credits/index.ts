export { ledgerAudit } from './audit';
export { type Renewal } from './calendar';
export { type Credits } from './credits';
export { grantCredits, grantPlan, grantSandbox, grantTopup, grantTrial, type PlanOrder } from './grants';
export { createNotices } from './notices';
export { type PlanTerms, planTermsOf } from './plan-terms';
export { keepSummingBalances } from './sum-balances';
export { keepSweeping } from './sweep';
export { watchLedger } from './watch-ledger';
