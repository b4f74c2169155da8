export { type CreditOrder, grantCredits, grantPlan, grantSandbox, grantTopup, grantTrial, type PlanOrder } from './grants';
export { type Renewal } from './calendar';
