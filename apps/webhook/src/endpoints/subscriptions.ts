import type { Queryable } from '@market-state/postgres';
import { writeTopics } from '../store/endpoints';
import { bumpRuleVersions } from '../store/evaluation';
import { type Endpoint, SYMBOL_KINDS, type Topic } from './endpoint';

/** Writes what an endpoint is sent. */
export function subscribe(on: Queryable, endpoint: Endpoint): Promise<void> {
  return writeTopics(on, endpoint, topicsOf(endpoint));
}

/** Lets the evaluators of these symbols read anew which endpoints are live. */
export async function tellEvaluators(on: Queryable, ...endpoints: readonly Pick<Endpoint, 'symbols'>[]): Promise<void> {
  await bumpRuleVersions(on, [...new Set(endpoints.flatMap(symbolsToldOf))]);
}

/** What an endpoint subscribes. Tests are sent to whoever asks for them: they need no subscription. */
function topicsOf({ eventKinds, symbols }: Pick<Endpoint, 'eventKinds' | 'symbols'>): Topic[] {
  return eventKinds
    .filter((eventKind) => eventKind !== 'webhook.test')
    .flatMap((eventKind): Topic[] =>
      SYMBOL_KINDS.has(eventKind) && symbols.length > 0 ? symbols.map((symbol) => ({ eventKind, symbol })) : [{ eventKind, symbol: '' }],
    );
}

/** The symbols whose evaluators read what this endpoint subscribes; empty stands for all. */
export function symbolsToldOf({ symbols }: Pick<Endpoint, 'symbols'>): readonly string[] {
  return symbols.length > 0 ? symbols : [''];
}
