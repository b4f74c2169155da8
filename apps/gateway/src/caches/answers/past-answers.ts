import { readFreshness, SETTLED_MS, type SymbolMarket } from '@market-state/live-market';
import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';
import type { LiveMarkets } from '../../clients/live-market-data';
import {
  type AnyHandler,
  type AnyReply,
  type HandlerTable,
  isFile,
  isStream,
  type OperationId,
  type PastReach,
  type Reply,
  wrapped,
} from '../../serving/answers/handler';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';
import { authStateOf, type Grant } from '../../serving/auth/credentials';
import type { FastRead, QueryValues, ReadyAnswer } from '../../serving/fast-path';
import type { Encoding, FixedRepresentation } from '../../serving/http/representation';
import type { FreshnessState } from '../../serving/meta/meta';
import { type Operation, operationById } from '../../serving/openapi/operations';
import type { LatestCache } from '../latest/latest-cache';
import { createResponseCache } from '../response-cache';

/** Inputs of an answer about a symbol's past. */
interface CacheValidity {
  readonly market: SymbolMarket;
  readonly ledgerRevision: number;
  readonly lateEntries: number;
  /** Empty unless the answer extends to the newest packet. */
  readonly newestPacketId: string;
}

interface PastState {
  /** Identical objects as long as nothing changes. */
  readonly marks: readonly CacheValidity[];
  /** Time since the last known change. */
  readonly quietMs: number;
  /** Data about instants up to this one changes only if the marks do. */
  readonly settledMs: number;
}

interface HistoryValidity {
  /** Null if changes cannot be detected, or a source has left the state that the answer reports. */
  now(reach: Omit<PastReach, 'throughMs'>): PastState | null;
}

interface HistoryValidityDeps {
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

const BYTES_MAX = 33_554_432;
/** Bounds how long an answer survives retention and key revocation. */
const TTL_MS = 60_000;
/** An answer rendered sooner after a change may miss that change. */
const QUIET_MS = 2_000;
/** Answers that took longer are not cached: the data may have changed in between. */
const MAKING_MS_MAX = 1_000;

const CODINGS: readonly Encoding[] = ['identity', 'gzip', 'br', 'zstd'];

interface CachedAnswer {
  readonly reply: Reply;
  readonly reach: PastReach;
  readonly bodies: Map<Encoding, Buffer>;
  ready: ReadyAnswer | null;
  isBeingMade: boolean;
}

interface Requested {
  readonly operation: Pick<Operation, 'operationId'>;
  readonly grant: Grant | null;
  readonly path: object;
  readonly query: object;
}

/** Caches answers about the past until the underlying data changes. */
export interface PastAnswers {
  /** Makes cacheable handlers run only on a cache miss. */
  wrap<Ops extends OperationId>(handlers: HandlerTable<Ops>): HandlerTable<Ops>;
  /** Returns null unless a valid answer is cached in every encoding. */
  ready(requested: Requested & { readonly query: QueryValues }): ReadyAnswer | null;
}

interface PastAnswersDeps {
  readonly marks: HistoryValidity;
  readonly metrics: Metrics;
  readonly monotonicMs: () => number;
}

export function createPastAnswers({ marks, metrics, monotonicMs }: PastAnswersDeps): PastAnswers {
  const registers = [metrics.registry];
  const given = new Counter({
    name: 'past_answers_total',
    help: 'Answers about the past by cache outcome: kept (served from the cache) or made (rendered).',
    labelNames: ['outcome'],
    registers,
  });
  const counts = { kept: given.labels('kept'), made: given.labels('made') };
  const answers = createResponseCache<string, CachedAnswer>({
    sizeMax: BYTES_MAX,
    sizeOf: ({ bodies }) => [...bodies.values()].reduce((sum, { length }) => sum + length, 1),
    lifetime: { ttlMs: TTL_MS, monotonicMs },
  });
  new Gauge({
    name: 'past_answers_kept_bytes',
    help: 'Size of the cached answers about the past in bytes.',
    registers,
    collect() {
      this.set(answers.size());
    },
  });

  function valid(key: string): CachedAnswer | undefined {
    const cached = answers.peek(key);
    return cached === undefined ? undefined : answers.get(key, marks.now(cached.reach)?.marks ?? null);
  }

  function withCachedBodies(key: string, reply: Reply, cached: () => CachedAnswer): Reply {
    return {
      ...reply,
      async encoded(encoding) {
        const entry = cached();
        const known = entry.bodies.get(encoding);
        if (known !== undefined) return known;
        const body = await reply.encoded(encoding);
        entry.bodies.set(encoding, body);
        if (answers.peek(key) === entry) answers.resize(key);
        return body;
      },
    };
  }

  function cacheReply(key: string, reply: Reply, reach: PastReach, startedMs: number): Reply {
    const standing = marks.now(reach);
    const tookMs = monotonicMs() - startedMs;
    if (standing === null || tookMs > MAKING_MS_MAX || standing.quietMs - tookMs < QUIET_MS) return reply;
    if (reach.throughMs > standing.settledMs - tookMs) return reply;
    const entry: CachedAnswer = {
      reply: withCachedBodies(key, reply, () => entry),
      reach,
      bodies: new Map(),
      ready: null,
      isBeingMade: false,
    };
    answers.set(key, entry, standing.marks);
    return entry.reply;
  }

  /** Until then, the full route serves the call. */
  async function makeReady(entry: CachedAnswer): Promise<void> {
    entry.isBeingMade = true;
    try {
      const [identity, gzip, br, zstd] = await Promise.all(CODINGS.map((coding) => entry.reply.encoded(coding)));
      if (identity === undefined || gzip === undefined || br === undefined || zstd === undefined) return;
      const representation: FixedRepresentation = { ...entry.reply, bodies: { identity, gzip, br, zstd } };
      entry.ready = { representation, observed: entry.reply.observed };
    } catch {
      // The full route reports the error.
    }
  }

  function cached(handler: AnyHandler): AnyHandler {
    return async (call) => {
      const { operation, grant, input } = call;
      const key = keyOf({ operation, grant, path: input.path, query: input.query });
      const found = valid(key);
      if (found !== undefined) {
        counts.kept.inc();
        return found.reply;
      }
      const startedMs = monotonicMs();
      const reply = await handler(call);
      if (!isPast(reply)) return reply;
      counts.made.inc();
      return cacheReply(key, reply, reply.past, startedMs);
    };
  }

  return {
    wrap: (handlers) => wrapped(handlers, cached),
    ready(requested) {
      const found = valid(keyOf(requested));
      if (found === undefined) return null;
      if (found.ready === null && !found.isBeingMade) void makeReady(found);
      if (found.ready === null) return null;
      counts.kept.inc();
      return found.ready;
    },
  };
}

function keyOf({ operation, grant, path, query }: Requested): string {
  return JSON.stringify([operation.operationId, authStateOf(grant), path, query]);
}

function isPast(reply: AnyReply): reply is Reply & { readonly past: PastReach } {
  return !isStream(reply) && !isFile(reply) && reply.past !== undefined;
}

const CACHED: readonly OperationId[] = [
  'replayPackets',
  'listHistory',
  'searchEvents',
  'getEventEvidence',
  'getPacketWorkbench',
  'getPostmortem',
  'getReplayWindow',
];

/** Answers are cached by every parameter. */
export function fastPastReads(answers: Pick<PastAnswers, 'ready'>): readonly FastRead[] {
  return CACHED.map((operationId) => {
    const operation = operationById(operationId);
    const [parameter] = operation.parameters.filter(({ in: place }) => place === 'path');
    return {
      operation,
      answer: (query, grant, inPath) =>
        answers.ready({ operation, grant, path: parameter === undefined ? {} : { [parameter.name]: inPath }, query }),
    };
  });
}
