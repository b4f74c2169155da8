import { type StoredLabel, storedValidity, type StoredValidity } from '@market-state/report';
import type { SourceKind } from '@market-state/market-data';
import { runInSlices, backoffMs, type Closable, delay } from '@market-state/lifecycle';
import { LRUCache } from 'lru-cache';
import { type Logger, withRequestContext } from '@market-state/logging';

export interface EventRecord {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly sequence: number;
  readonly eventId: string;
  readonly knownTsMs: number;
  readonly state: string;
  readonly winnerState: string;
  readonly eventClass: string;
  readonly eventProfile: string;
  readonly severityClass: string;
  readonly severityScore: number;
  readonly transitionType: string;
  readonly diagnosisClass: string;
  readonly confidenceScore: number;
  readonly confidenceLabel: string;
  readonly contradictionScore: number;
  readonly noveltyScore: number;
  readonly qualityScore: number;
  readonly gapFlags: readonly string[];
  readonly stateAgePackets: number;
  readonly tags: readonly string[];
  /** A score is at most 10 % below a threshold. */
  readonly nearThreshold: boolean;
  readonly sourceKind: SourceKind;
  readonly midPrice: number | undefined;
  readonly stateLabel: string;
  readonly runnerUpState: string;
  readonly stateMargin: number;
}

export type EventOrder = 'oldest_first' | 'newest_first';

export interface EventFilter {
  readonly symbol: string | null;
  /** Window ends, inclusive and exclusive; null: unbounded. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Only events known at this time; null: all. */
  readonly asOfMs: number | null;
  /** Lower case; all must occur in the state, the tags or the reasons. */
  readonly words: readonly string[];
  readonly tags: readonly string[];
  readonly values: Readonly<Partial<Record<'state' | 'event_class' | 'event_profile' | 'severity_class', string>>>;
}

/** Ordered by window, then by symbol. */
export interface EventPosition {
  readonly windowEndMs: number;
  readonly symbol: string;
}

export interface StoredPackets {
  readonly symbol: string;
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
  readonly total: number;
  readonly archive: ArchiveTotals;
}

export interface ArchiveTotals {
  readonly hourTotal: number;
  readonly rowTotal: number;
  readonly byteTotal: number | undefined;
  /** Earlier windows are only in the archive; 0 if there are none. */
  readonly hotFromMs: number;
}

export type PacketHoursFilter = Pick<EventFilter, 'fromMs' | 'toMs' | 'asOfMs'> & { readonly symbol: string };

export interface PacketHour {
  readonly hourMs: number;
  readonly rowTotal: number;
  readonly file: { readonly key: string; readonly sha256: string; readonly bytes: number } | undefined;
}

export interface PacketHours {
  /** Oldest first; hours without packets are omitted. */
  readonly hours: readonly PacketHour[];
  /** Oldest retained packet; undefined without packets. */
  readonly keptFromMs: number | undefined;
}

/** A span is a run of packets in one state with adjacent windows. */
interface StateStability {
  readonly state: string;
  readonly packetTotal: number;
  readonly spanTotal: number;
  /** Spans that start and end with a change of state. */
  readonly wholeSpanTotal: number;
  /** Statistics of whole spans; null if there are none. */
  readonly dwellMeanS: number | null;
  readonly dwellMedianS: number | null;
  readonly dwellLongestS: number;
  readonly exitTotal: number;
  readonly nearThresholdTotal: number;
  readonly transitions: readonly { readonly toState: string; readonly total: number }[];
  readonly feedback: FeedbackTotals;
}

export interface Stability {
  readonly packetTotal: number;
  /** Packets with an adjacent successor. */
  readonly pairTotal: number;
  readonly states: readonly StateStability[];
}

export type StabilityWindow = Pick<EventFilter, 'symbol' | 'fromMs' | 'toMs' | 'asOfMs'>;

export interface EventIndex {
  /** At most `count` events after a position (null: from the start). */
  list(filter: EventFilter, order: EventOrder, beyond: EventPosition | null, count: number): Promise<EventRecord[]>;
  stability(window: StabilityWindow): Promise<Stability>;
  /** Oldest first. */
  labels(window: StabilityWindow, count: number): Promise<StoredLabel[]>;
  hours(span: PacketHoursFilter): Promise<PacketHours>;
  /**
   * Ordered as `symbols`.
   * @param asOfMs state of knowledge at this time; null: now
   */
  held(symbols: readonly string[], asOfMs: number | null): Promise<StoredPackets[]>;
}

/** A day. More packets would take too long for an answer. */
const PACKETS_MAX = 8_640;

/** Time in which an answer is used again, for callers that ask about the same window: a symbol's next packet is 10 s away. */
const TTL_MS = 10_000;
const ANSWERS_MAX = 100;

export interface MeasuredValidity extends StoredValidity {
  readonly packetTotal: number;
}

export type ReadValidity = (window: StabilityWindow) => Promise<MeasuredValidity>;

/** Validity of a symbol's newest labels in a window, at most 10 s old. Callers at the same time share one computation. */
export function createValidityReader(events: Pick<EventIndex, 'labels'>): ReadValidity {
  const answers = new LRUCache<string, MeasuredValidity, StabilityWindow>({
    max: ANSWERS_MAX,
    ttl: TTL_MS,
    fetchMethod: (_key, _stale, { context }) => measureValidity(events, context),
  });
  return (window) => answers.forceFetch([window.symbol, window.fromMs, window.toMs, window.asOfMs].join(), { context: window });
}

/** Other work goes on between its steps. */
async function measureValidity(events: Pick<EventIndex, 'labels'>, window: StabilityWindow): Promise<MeasuredValidity> {
  const labels = await events.labels(window, PACKETS_MAX);
  return { ...(await runInSlices(storedValidity(labels))), packetTotal: labels.length };
}

/**
 * Delay between a packet's push and its index entry: all symbols close their windows at the same time, and pushes have
 * priority.
 */
const APART_MS = 250;
const RETRY = { minMs: APART_MS, maxMs: 5_000 };

interface KeepEventsDeps {
  readonly enter: (symbols: readonly string[]) => Promise<void>;
  readonly logger: Logger;
}

export interface EventKeeper extends Closable {
  stored(symbol: string): void;
  /**
   * Resolves once every packet reported before is indexed, as well as those of `others` stored by another process.
   * Rejects if indexing fails; it is retried later.
   */
  whole(others?: readonly string[]): Promise<void>;
}

/** After a short delay, batched, or immediately if a reader waits. */
export function keepEvents({ enter, logger }: KeepEventsDeps): EventKeeper {
  const stop = new AbortController();
  const waiting = new Set<string>();
  let wake = (): void => undefined;
  let entering: Promise<void> = Promise.resolve();

  async function enterWaiting(others: readonly string[]): Promise<void> {
    const stored = [...waiting];
    waiting.clear();
    const symbols = [...new Set([...stored, ...others])];
    if (symbols.length === 0) return;
    try {
      await enter(symbols);
    } catch (error) {
      for (const symbol of stored) waiting.add(symbol);
      throw error;
    }
  }

  function whole(others: readonly string[] = []): Promise<void> {
    // Own request context: the caller that triggered it may leave before others that wait.
    entering = entering.catch(() => undefined).then(() => withRequestContext({ requestId: 'event-keeper' }, () => enterWaiting(others)));
    return entering;
  }

  function somethingWaits(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
      if (waiting.size > 0 || stop.signal.aborted) resolve();
    });
  }

  async function run(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted; ) {
      await somethingWaits();
      await delay(failures === 0 ? APART_MS : backoffMs(failures, RETRY), stop.signal).catch(() => undefined);
      try {
        await whole();
        failures = 0;
      } catch (error) {
        failures += 1;
        logger.warn({ symbols: [...waiting], err: error }, 'packets are not indexed yet; retrying');
      }
    }
  }

  const running = run();
  return {
    stored(symbol) {
      waiting.add(symbol);
      wake();
    },
    whole,
    close() {
      stop.abort();
      wake();
      return running;
    },
  };
}

export const FEEDBACK_LABELS = ['useful', 'partial', 'missing_context', 'noise'] as const;

export type FeedbackLabel = (typeof FEEDBACK_LABELS)[number];

export type FeedbackTotals = Readonly<Record<FeedbackLabel, number>>;

export const NO_FEEDBACK: FeedbackTotals = { useful: 0, partial: 0, missing_context: 0, noise: 0 };

export interface Judgement {
  readonly tenantId: string;
  readonly eventId: string;
  readonly label: FeedbackLabel;
  readonly note: string;
  readonly recordedTsMs: number;
}

/** The only data revealed about tenants. */
export interface Agreement {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly state: string;
  readonly eventClass: string;
  readonly replaced: boolean;
  readonly onEvent: FeedbackTotals;
  readonly onState: FeedbackTotals;
  readonly onEventClass: FeedbackTotals;
}

export interface FeedbackStore {
  record(judgement: Judgement): Promise<Agreement | undefined>;
}
