import { type OperationPrice, plans, PRICE_VERSION, priceRule, priceWords, topup } from '@market-state/pricing';
import { ownMeta } from '../../serving/answers/account-answer';
import { showLimits } from '../../serving/answers/show-billing';
import type { Handler } from '../../serving/answers/handler';
import { jsonRepresentation } from '../../serving/http/representation';
import type { Described, WithoutMeta } from '../../serving/openapi/document';
import { type Operation, originals } from '../../serving/openapi/operations';

function showPrice(price: OperationPrice): Described<'ListedPrice'> {
  const { credit, baseCredits, unit, stepUnits, step, boundedBy, unitsMax } = priceRule(price);
  return {
    workload_family: price.family,
    credit_kind: credit,
    base_credits: baseCredits,
    counted: unit,
    units_a_credit: stepUnits,
    step: unit === null ? null : step,
    bounded_by: boundedBy,
    units_max: unitsMax,
    words: priceWords(price),
  };
}

function showOperation({
  operationId,
  method,
  path,
  summary,
  tag,
  credential,
  scope,
  rateClass,
  sandbox,
  price,
}: Operation): Described<'ListedOperation'> {
  return {
    operation_id: operationId,
    method: method.toUpperCase() as Uppercase<Operation['method']>,
    route: path,
    summary,
    tag,
    credential,
    scope: credential === 'none' ? null : scope,
    rate_class: rateClass,
    sandbox: credential === 'none' ? null : sandbox,
    price: price === null ? null : showPrice(price),
  };
}

function showPlan({ planId, tier, priceCents, credits, days, flatCost, rate, limits }: (typeof plans)[number]): Described<'ListedPlan'> {
  return {
    plan_id: planId,
    tier,
    price_cents: priceCents,
    credits,
    days,
    credits_a_call: flatCost,
    rate_per_second: rate.perSecond,
    burst: rate.burst,
    limits: showLimits(limits),
  };
}

/** Prices and plans from the same table that estimates and charges use. */
export function listPrices(): Handler<'listPrices'> {
  const fields: WithoutMeta<'PriceList'> = {
    price_version: PRICE_VERSION,
    operations: originals.map(showOperation),
    operation_total: originals.length,
    plans: plans.map(showPlan),
    topup: { price_cents: topup.priceCents, credits: topup.credits },
  };
  const statusText = 'The price table used for estimates, quotes and charges.';
  return (call) => jsonRepresentation({ ...fields, meta: ownMeta(call, statusText) });
}
