import type { DataHealthWatch } from '../../clients/data-health';
import { type ServedSymbol, sharedVenue } from '../../clients/market-data-client';
import { buildMeta, type FreshnessState, type SourceKindName, originOf } from '../meta/meta';
import { toUtc } from '../meta/instant';
import { authStateOf } from '../auth/grant';
import type { CallContext } from './handler';
import type { Described, DescribedName } from '../openapi/described';

/** What an answer has of the rows asked for: all there are, fewer than there should be, or none because none are kept. */
export type RowsHeld = 'all' | 'fewer' | 'none';

/** What every answer of the data plane says of itself. */
export interface AnswerSource<State extends FreshnessState = FreshnessState> {
  /** `ALL` where the answer is about every symbol. */
  readonly symbol: string;
  readonly venue: string;
  /** Instant up to which it speaks, milliseconds since the epoch. */
  readonly asOfMs: number;
  readonly kinds: readonly SourceKindName[];
  readonly state: State;
  /**
   * What the source does not report, in words (a recording of a venue may hold less than the venue sends); absent where it reports what was
   * asked for.
   */
  readonly lacking?: string;
  /** In place of the sentence on freshness. */
  readonly detail?: string;
  /** Further sentences; default none. */
  readonly remark?: string;
  /** Default all. */
  readonly held?: RowsHeld;
  /** It holds rows from before the newest state; default false. */
  readonly stored?: boolean;
  /** It shows a part without a key; default false. */
  readonly preview?: boolean;
}

const AVAILABILITY = { all: 'available', fewer: 'partial', none: 'unavailable' } as const;

const SENTENCES: Readonly<Record<FreshnessState, string>> = {
  fresh: 'The newest rows are within their staleness limit.',
  stale: 'The newest rows are past their staleness limit.',
  missing: 'Nothing was seen yet.',
};

function detailOf({ state, lacking, detail, remark = '' }: AnswerSource): string {
  const sentence = lacking === undefined ? (detail ?? SENTENCES[state]) : `The source does not report ${lacking}.`;
  return remark === '' ? sentence : `${sentence} ${remark}`;
}

function kindOf(kinds: readonly SourceKindName[]): SourceKindName | 'multiple' {
  const [first, ...others] = new Set(kinds);
  return others.length > 0 ? 'multiple' : (first ?? 'unknown');
}

/** What an answer of the data plane has beside what every one says of itself. */
export type OwnFields<Name extends DescribedName> = Omit<
  Described<Name>,
  'symbol' | 'venue' | 'as_of_utc' | 'source_status' | 'source' | 'meta'
>;

/** What of a call its answer depends on. */
export type AnswerContext = Pick<CallContext, 'operation' | 'grant'>;

/** An answer of the data plane: what it says of itself, its own fields, and `meta`. */
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

/** Fresh up to and at the limit; missing when nothing was seen. */
export function freshnessOf(seen: boolean, freshnessMs: number, limitMs: number): FreshnessState {
  if (!seen) return 'missing';
  return freshnessMs <= limitMs ? 'fresh' : 'stale';
}

/** What an answer about every symbol says of itself: as fresh as the feed, by the data plane's own word. */
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
    detail: runs ? 'The feed runs.' : reachable ? 'The feed does not run.' : 'The data plane cannot be reached.',
    stored: true,
  };
}
