import type { FreshnessState, SourceKindName } from '../http/meta';

const SENTENCES: Readonly<Record<FreshnessState, string>> = {
  fresh: 'Within its staleness limit.',
  stale: 'Past its staleness limit.',
  missing: 'Nothing was seen yet.',
};

/** State of the source behind the rows of an answer. */
export function sourceStatus(sourceKind: SourceKindName, state: FreshnessState, remark = '') {
  return { source_kind: sourceKind, state, detail: remark === '' ? SENTENCES[state] : `${SENTENCES[state]} ${remark}` };
}

/** Fresh up to and at the limit; missing when nothing was seen. */
export function freshnessOf(seen: boolean, freshnessMs: number, limitMs: number): FreshnessState {
  if (!seen) return 'missing';
  return freshnessMs <= limitMs ? 'fresh' : 'stale';
}
