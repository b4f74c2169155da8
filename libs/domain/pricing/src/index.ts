export {
  type CallPrice,
  type Counted,
  isPaidByMessages,
  isPricedByParameters,
  type OperationPrice,
  priceCall,
  type PricedParameters,
  type PriceFacts,
  weighCall,
} from './call-price';
export {
  type BillingInterval,
  type CreditKind,
  findPlan,
  limitsOf,
  type Plan,
  type PlanId,
  type PlanLimits,
  plans,
  soldPlans,
  topup,
  weightOfCall,
} from './plans';
export { costOf, type FamilyPrice, PRICE_VERSION, priceOf, streamCost, WORKLOAD_FAMILIES, type WorkloadFamily } from './prices';
