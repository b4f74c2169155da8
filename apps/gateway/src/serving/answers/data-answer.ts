import type { DataHealthWatch } from '../../clients/data-health';
import { type ServedSymbol, sharedVenue } from '../../clients/market-data-client';
import { buildMeta, type FreshnessState, type SourceKindName, originOf, toUtc } from '../meta/meta';
import { authStateOf } from '../auth/credentials';
import type { CallContext } from './handler';
import type { Described, DescribedName } from '../openapi/document';

/** Coverage of the requested rows: complete, partial, or none stored. */
export type Completeness = 'all' | 'fewer' | 'none';

export interface AnswerSource<State extends FreshnessState = FreshnessState> {
  readonly symbol: string;
  readonly venue: string;
  /** End of the covered time, in milliseconds since the epoch. */
  readonly asOfMs: number;
  readonly kinds: readonly SourceKindName[];
  readonly state: State;
  /** Unreported data, in words (a recording may hold less than the venue sends). */
  readonly lacking?: string;
  /** Replaces the sentence on freshness. */
  readonly detail?: string;
  readonly remark?: string;
  readonly held?: Completeness;
  readonly stored?: boolean;
  readonly preview?: boolean;
}

const AVAILABILITY = { all: 'available', fewer: 'partial', none: 'unavailable' } as const;

const SENTENCES: Readonly<Record<FreshnessState, string>> = {
  fresh: 'The newest rows are within their staleness limit.',
  stale: 'The newest rows are past their staleness limit.',
  missing: 'No data has been seen yet.',
};

function detailOf({ state, lacking, detail, remark = '' }: AnswerSource): string {
  const sentence = lacking === undefined ? (detail ?? SENTENCES[state]) : `The source does not report ${lacking}.`;
  return remark === '' ? sentence : `${sentence} ${remark}`;
}

function kindOf(kinds: readonly SourceKindName[]): SourceKindName | 'multiple' {
  const [first, ...others] = new Set(kinds);
  return others.length > 0 ? 'multiple' : (first ?? 'unknown');
}

export type OwnFields<Name extends DescribedName> = Omit<
  Described<Name>,
  'symbol' | 'venue' | 'as_of_utc' | 'source_status' | 'source' | 'meta'
>;

export type AnswerContext = Pick<CallContext, 'operation' | 'grant'>;

export function dataAnswer<T extends object, State extends FreshnessState>(
  { operation, grant }: AnswerContext,
  source: AnswerSource<State>,
  fields: T,
) {
  const detail = detailOf(source);
  const { kinds, state, held = 'all', stored = false } = source;
  return {
    symbol: source.symbol,
    venue: source.venue,
    as_of_utc: toUtc(source.asOfMs),
    source_status: state,
    source: { kind: kindOf(kinds), detail },
    ...fields,
    meta: buildMeta({
      sourceKinds: kinds,
      freshness: state,
      availability: state === 'missing' ? 'unavailable' : AVAILABILITY[held],
      statusText: `From ${originOf(kinds.length === 0 ? ['unknown'] : kinds)}. ${detail}`,
      auth: authStateOf(grant),
      delayed: grant?.sandbox ?? false,
      preview: source.preview,
      requiresApiKey: operation.requiresApiKey,
      metered: operation.metered,
      sourceCurrentOnly: !stored,
    }),
  };
}

/** Fresh up to and including the limit. */
export function freshnessOf(seen: boolean, freshnessMs: number, limitMs: number): FreshnessState {
  if (!seen) return 'missing';
  return freshnessMs <= limitMs ? 'fresh' : 'stale';
}

/** Has the freshness of the feed. */
export function serviceSource(
  symbols: readonly Pick<ServedSymbol, 'venue' | 'kind'>[],
  dataHealth: Pick<DataHealthWatch, 'current'>,
  asOfMs: number,
): AnswerSource {
  const { reachable, down } = dataHealth.current();
  const runs = reachable && !down.includes('feed');
  return {
    symbol: 'ALL',
    venue: sharedVenue(symbols),
    asOfMs,
    kinds: symbols.map(({ kind }) => kind),
    state: runs ? 'fresh' : 'stale',
    detail: runs ? 'The feed is running.' : reachable ? 'The feed is not running.' : 'The data plane cannot be reached.',
    stored: true,
  };
}
