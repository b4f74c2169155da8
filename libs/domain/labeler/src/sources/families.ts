import type { Channel, FeedStatusEvent, SourceKind } from '@market-state/market-data';
import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { SOURCE_FAMILIES, type SourceFamily, type SourceRead, type SourceVerdict, type UnreportedReason } from '../read';

export interface VenueFacts {
  readonly venue: string;
  readonly sourceKind: SourceKind;
  readonly channels: readonly Channel[];
  readonly bookStalenessMs: number;
  readonly tradeStalenessMs: number;
  readonly contextStalenessMs: number;
  readonly closingLagMs: number;
  readonly pass: number;
}

/** Each staleness limit is the larger of the policy's and the venue's. */
export function readVenueFacts(
  event: FeedStatusEvent,
  status: Extract<FeedStatusEvent['status'], { readonly type: 'connected' }>,
  numbers: PolicyNumbers,
): VenueFacts {
  return {
    venue: event.venue,
    sourceKind: status.sourceKind,
    channels: [...status.channels],
    bookStalenessMs: Math.max(numbers.staleness.book_ms, status.bookStalenessMs),
    tradeStalenessMs: Math.max(numbers.staleness.trade_ms, status.tradeStalenessMs),
    contextStalenessMs: Math.max(numbers.staleness.context_ms, status.contextStalenessMs),
    closingLagMs: status.closingLagMs,
    pass: event.pass,
  };
}

export interface SourceInput {
  readonly windowEndMs: number;
  readonly facts: VenueFacts;
  readonly publicChannels: PolicyNumbers['public_channels'];
  readonly bookTsMs: number | null;
  readonly tradeTsMs: number | null;
  readonly contextTsMs: number | null;
  readonly liquidationTsMs: number | null;
  readonly liquidationTotal: number;
  readonly liquidationProxyTotal: number;
}

/**
 * The five source families in table order. Resolved: reported by the venue and within its staleness limit (trades and
 * candles also while quiet with a fresh book; liquidations whenever the channel is reported). Partial: reported and
 * seen, but stale, or only proxy liquidations in 300 s. Missing: not reported, or never seen. Ages are T minus the
 * exchange time of the last event, at least 0; cuts do not change them. Source: ours.
 */
export function readSources(input: SourceInput): readonly SourceRead[] {
  const ages: Readonly<Record<SourceFamily, number | null>> = {
    book: ageMs(input.windowEndMs, input.bookTsMs),
    trades: ageMs(input.windowEndMs, input.tradeTsMs),
    asset_context: ageMs(input.windowEndMs, input.contextTsMs),
    liquidations: ageMs(input.windowEndMs, input.liquidationTsMs),
    candles: ageMs(input.windowEndMs, input.tradeTsMs),
  };
  const trades = tradesVerdict(input, ages.trades, ages.book);
  const verdicts: Readonly<Record<SourceFamily, SourceVerdict>> = {
    book: agedVerdict(input, 'book', ages.book, input.facts.bookStalenessMs),
    trades,
    asset_context: agedVerdict(input, 'context', ages.asset_context, input.facts.contextStalenessMs),
    liquidations: liquidationsVerdict(input),
    candles: trades,
  };
  return SOURCE_FAMILIES.map((family) => ({ family, ...verdicts[family], ageMs: ages[family] }));
}

/** source_support_ratio: (resolved + 0.5 × partial) / 5, 0 to 1, 6 decimals. Source: ours. */
export function sourceSupportRatio(sources: readonly SourceRead[]): number {
  const resolved = sources.filter((source) => source.status === 'resolved').length;
  const partial = sources.filter((source) => source.status === 'partial').length;
  return round6((resolved + 0.5 * partial) / SOURCE_FAMILIES.length);
}

function agedVerdict(input: SourceInput, channel: Channel, age: number | null, limitMs: number): SourceVerdict {
  if (!input.facts.channels.includes(channel)) return { status: 'missing', reason: unreportedReason(input, channel) };
  if (age === null) return { status: 'missing', reason: 'never_seen' };
  return age <= limitMs ? { status: 'resolved', reason: 'inside_staleness_limit' } : { status: 'partial', reason: 'stale' };
}

/** For a venue unknown to the policy, it is only known that this source lacks the channel. */
function unreportedReason({ facts, publicChannels }: SourceInput, channel: Channel): UnreportedReason {
  const known = publicChannels[facts.venue];
  if (known !== undefined && !known.includes(channel)) return 'not_reported_by_venue';
  return known !== undefined && facts.sourceKind === 'live' ? 'not_subscribed' : 'not_in_this_source';
}

function tradesVerdict(input: SourceInput, age: number | null, bookAge: number | null): SourceVerdict {
  const { facts } = input;
  const verdict = agedVerdict(input, 'trade', age, facts.tradeStalenessMs);
  const bookFresh = facts.channels.includes('book') && bookAge !== null && bookAge <= facts.bookStalenessMs;
  return verdict.status === 'partial' && bookFresh ? { status: 'resolved', reason: 'quiet_while_book_fresh' } : verdict;
}

function liquidationsVerdict(input: SourceInput): SourceVerdict {
  if (input.liquidationTotal > 0 && input.liquidationProxyTotal === input.liquidationTotal)
    return { status: 'partial', reason: 'proxy_only' };
  if (!input.facts.channels.includes('liquidation')) return { status: 'missing', reason: unreportedReason(input, 'liquidation') };
  return { status: 'resolved', reason: 'channel_reported' };
}

function ageMs(windowEndMs: number, tsMs: number | null): number | null {
  return tsMs === null ? null : windowEndMs - tsMs;
}
