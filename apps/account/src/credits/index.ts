export { ledgerAudit, watchLedger } from './ledger-audit';
export { type Renewal } from './calendar';
export { type Credits, createNotices } from './credits';
export { grantCredits, grantPlan, grantSandbox, grantTopup, grantTrial, type PlanOrder } from './grants';
export { type PlanTerms, planTermsOf } from './plan-terms';
export { sumBalances } from './balance-history';
export { sweepCredits } from './sweep';
