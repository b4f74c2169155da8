import type { Queryable } from '@market-state/postgres';
import { writeTopics } from '../store/endpoints';
import { bumpRuleVersions } from '../store/rule-versions';
import type { Endpoint } from './endpoint';
import { symbolsToldOf, topicsOf } from './topics';

/** Writes what an endpoint is sent. */
export function subscribe(on: Queryable, endpoint: Endpoint): Promise<void> {
  return writeTopics(on, endpoint, topicsOf(endpoint));
}

/** Lets the evaluators of these symbols read anew which endpoints are live. */
export async function tellEvaluators(on: Queryable, ...endpoints: readonly Pick<Endpoint, 'symbols'>[]): Promise<void> {
  await bumpRuleVersions(on, [...new Set(endpoints.flatMap(symbolsToldOf))]);
}
