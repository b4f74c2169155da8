import type { Queryable } from '@market-state/postgres';
import { writeTopics } from '../store/endpoints';
import { bumpRuleVersions } from '../store/rule-versions';
import type { Endpoint } from './endpoint';
import { symbolsToldOf, topicsOf } from './topics';

/** Writes what an endpoint is sent. Evaluators read it anew: those of the symbols it had before, and of those it has now. */
export async function subscribe(on: Queryable, endpoint: Endpoint, before?: Endpoint): Promise<void> {
  await writeTopics(on, endpoint, topicsOf(endpoint));
  await tellEvaluators(on, endpoint, before);
}

/** Lets the evaluators of an endpoint's symbols read anew which endpoints are live. */
export async function tellEvaluators(on: Queryable, ...endpoints: readonly (Endpoint | undefined)[]): Promise<void> {
  const symbols = new Set(endpoints.flatMap((endpoint) => (endpoint === undefined ? [] : symbolsToldOf(endpoint))));
  await bumpRuleVersions(on, [...symbols]);
}
