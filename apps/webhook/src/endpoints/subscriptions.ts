import type { Queryable } from '@market-state/postgres';
import { writeTopics } from '../store/endpoints';
import { bumpRuleVersions } from '../store/evaluation';
import { type Endpoint, SYMBOL_KINDS, type Topic } from './endpoint';

export function subscribe(on: Queryable, endpoint: Endpoint): Promise<void> {
  return writeTopics(on, endpoint, topicsOf(endpoint));
}

/** Makes the evaluators of these symbols reload the live endpoints. */
export async function notifyEvaluators(on: Queryable, ...endpoints: readonly Pick<Endpoint, 'symbols'>[]): Promise<void> {
  await bumpRuleVersions(on, [...new Set(endpoints.flatMap(notifiedSymbols))]);
}

/** Tests need no subscription. */
function topicsOf({ eventKinds, symbols }: Pick<Endpoint, 'eventKinds' | 'symbols'>): Topic[] {
  return eventKinds
    .filter((eventKind) => eventKind !== 'webhook.test')
    .flatMap((eventKind): Topic[] =>
      SYMBOL_KINDS.has(eventKind) && symbols.length > 0 ? symbols.map((symbol) => ({ eventKind, symbol })) : [{ eventKind, symbol: '' }],
    );
}

/** Symbols whose evaluators use the endpoint's subscriptions; an empty string means all. */
export function notifiedSymbols({ symbols }: Pick<Endpoint, 'symbols'>): readonly string[] {
  return symbols.length > 0 ? symbols : [''];
}
