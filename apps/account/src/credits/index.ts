export { ledgerAudit, type LedgerAudit, type LedgerFault } from './audit';
export { type Renewal } from './calendar';
export { type Credits } from './credits';
export { type CreditOrder, grantCredits, grantPlan, grantSandbox, grantTopup, grantTrial, type PlanOrder } from './grants';
export { createNotices } from './notices';
export { keepSweeping } from './sweep';
