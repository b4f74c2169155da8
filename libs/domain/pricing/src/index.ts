export { answerBytes, messageBytes, replayedBytes, SIZE_SOURCE } from './answer-sizes';
export {
  type CallPrice,
  isPaidByMessages,
  isPricedByParameters,
  type OperationPrice,
  priceCall,
  type PricedParameters,
  type PriceFacts,
  weighCall,
  type PriceRule,
  priceRule,
  priceWords,
} from './price-rule';
export {
  type BillingInterval,
  callsPerMinuteMax,
  type CreditKind,
  findPlan,
  limitsOf,
  type PlanId,
  type PlanLimits,
  plans,
  rateOfKey,
  soldPlans,
  topup,
  weightOfCall,
} from './plans';
export { costOf, PRICE_VERSION, priceOf, streamCost, WORKLOAD_FAMILIES, type WorkloadFamily } from './prices';
