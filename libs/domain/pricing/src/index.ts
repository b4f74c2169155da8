export { type BillingInterval, type CreditKind, findPlan, type Plan, type PlanId, plans, topup } from './plans';
export { costOf, type FamilyPrice, PRICE_VERSION, priceOf, streamCost, WORKLOAD_FAMILIES, type WorkloadFamily } from './prices';
