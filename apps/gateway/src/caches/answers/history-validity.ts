import { readFreshness, SETTLED_MS, type SymbolMarket } from '@market-state/live-market';
import type { LatestCache } from '../latest/latest-cache';
import type { LiveMarkets } from '../../clients/live-markets';
import type { FreshnessState } from '../../serving/meta/meta';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';
import type { PastReach } from '../../serving/answers/handler';

/** Inputs of an answer about a symbol's past. */
interface CacheValidity {
  readonly market: SymbolMarket;
  readonly ledgerRevision: number;
  readonly lateEntries: number;
  /** Empty unless the answer extends to the newest packet. */
  readonly newestPacketId: string;
}

export interface PastState {
  /** Identical objects as long as nothing changes. */
  readonly marks: readonly CacheValidity[];
  /** Time since the last known change. */
  readonly quietMs: number;
  /** Data about instants up to this one changes only if the marks do. */
  readonly settledMs: number;
}

export interface HistoryValidity {
  /** Returns null if changes cannot be detected, or if a source has left the state that the answer reports. */
  now(reach: Omit<PastReach, 'throughMs'>): PastState | null;
}

export interface HistoryValidityDeps {
  readonly markets: Pick<LiveMarkets, 'now' | 'subscribe'>;
  readonly latestCache: Pick<LatestCache, 'packet' | 'reach'>;
  readonly monotonicMs: () => number;
}

export function createHistoryValidity({ markets, latestCache, monotonicMs }: HistoryValidityDeps): HistoryValidity {
  const seen = new Map<string, { readonly mark: CacheValidity; readonly sinceMs: number }>();

  function markOf(symbol: string, upToNewest: boolean): { readonly mark: CacheValidity; readonly sinceMs: number } | null {
    const live = markets.now(symbol);
    if (live === null) {
      markets.subscribe(symbol);
      return null;
    }
    const newestPacketId = upToNewest ? (latestCache.packet(symbol)?.packetId ?? '') : '';
    if (live.ledgerRevision === null || (upToNewest && (newestPacketId === '' || latestCache.reach(symbol) !== 'stream'))) return null;
    const { market, ledgerRevision } = live;
    const key = `${symbol} ${upToNewest}`;
    const before = seen.get(key);
    const mark = { market, ledgerRevision, lateEntries: market.lateEntries, newestPacketId };
    if (before !== undefined && isSame(before.mark, mark)) return before;
    const found = { mark, sinceMs: monotonicMs() };
    seen.set(key, found);
    return found;
  }

  function stateOf(symbol: string): FreshnessState | null {
    const live = markets.now(symbol);
    const freshness = live === null ? null : readFreshness(live.market, live.venue);
    return freshness === null ? null : symbolFreshness(freshness.channels);
  }

  return {
    now({ symbols, upToNewest, sourceState }) {
      const found = symbols.map((symbol) => markOf(symbol, upToNewest));
      if (found.length === 0 || !found.every((each) => each !== null)) return null;
      if (sourceState !== undefined && !symbols.every((symbol) => stateOf(symbol) === sourceState)) return null;
      const clocks = found.map(({ mark }) => mark.market.clock.nowMs() ?? 0);
      return {
        marks: found.map(({ mark }) => mark),
        quietMs: monotonicMs() - Math.max(...found.map(({ sinceMs }) => sinceMs)),
        settledMs: Math.min(...clocks) - SETTLED_MS,
      };
    },
  };
}

function isSame(a: CacheValidity, b: CacheValidity): boolean {
  return (
    a.market === b.market &&
    a.ledgerRevision === b.ledgerRevision &&
    a.lateEntries === b.lateEntries &&
    a.newestPacketId === b.newestPacketId
  );
}
