import { type Closable, delay } from '@market-state/lifecycle';
import { withRequestContext, type Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import { addGauge, type Metrics } from '@market-state/telemetry';
import { readRecordedOrdinals } from '../store/recorded';
import { spanOfGap } from '../recorder/gap-ledger';
import { DAY_GAPS_MAX, listGapsOfDay } from '../store/gaps';
import type { MarketTail, TailEntry } from './tail';

/** The recorder commits about ten times a second. */
const LOOK_EVERY_MS = 50;
const FAILED_WAIT_MS = 500;

export interface RecordedWatch extends Closable {
  /** Undefined on timeout or abort. */
  past(symbol: string, ordinal: number, timeoutMs: number, signal: AbortSignal): Promise<number | undefined>;
}

interface Waiter {
  readonly symbol: string;
  readonly ordinal: number;
  settle(recorded: number | undefined): void;
}

/** One shared query while anyone waits. Silent while the database is unavailable. */
export function startRecordedWatch(pool: Pool): RecordedWatch {
  const stop = new AbortController();
  const waiters = new Set<Waiter>();
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    while (waiters.size > 0 && !stop.signal.aborted) {
      const recorded = await readRecordedOrdinals(pool, [...new Set([...waiters].map(({ symbol }) => symbol))]).catch(() => undefined);
      for (const waiter of waiters) {
        const ordinal = recorded?.get(waiter.symbol) ?? 0;
        if (ordinal > waiter.ordinal) waiter.settle(ordinal);
      }
      await delay(recorded === undefined ? FAILED_WAIT_MS : LOOK_EVERY_MS, stop.signal).catch(() => undefined);
    }
    looking = undefined;
  }

  return {
    past(symbol, ordinal, timeoutMs, signal) {
      return new Promise((resolve) => {
        const ending = AbortSignal.any([signal, stop.signal]);
        const onEnd = (): void => waiter.settle(undefined);
        const timer = setTimeout(onEnd, timeoutMs);
        const waiter: Waiter = {
          symbol,
          ordinal,
          settle(recorded) {
            clearTimeout(timer);
            ending.removeEventListener('abort', onEnd);
            waiters.delete(waiter);
            resolve(recorded);
          },
        };
        if (ending.aborted) return waiter.settle(undefined);
        ending.addEventListener('abort', onEnd, { once: true });
        waiters.add(waiter);
        // Own request context: the first waiter may leave before the others.
        looking ??= withRequestContext({ requestId: 'recorded-watch' }, look);
      });
    },
    async close() {
      stop.abort();
      await looking;
    },
  };
}

/** The recorder is awaited this long at a time: until it has written the entry, the ledger lacks the gap. */
const RECORDED_WITHIN_MS = 30_000;

const GAPS_FAILED_WAIT_MS = 1_000;

interface LedgerWatchDeps {
  readonly pool: Pool;
  readonly tail: MarketTail;
  readonly recorded: RecordedWatch;
  readonly logger: Logger;
}

/** Rereads the ledger after gap entries, and ordinals out of sequence. Until then, gaps come from the log. */
export function watchLedger({ pool, tail, recorded, logger }: LedgerWatchDeps): Closable {
  const stop = new AbortController();
  const running = new Set<Promise<void>>();

  async function read(symbol: string): Promise<void> {
    const clockMs = tail.marketOf(symbol).clock.nowMs() ?? 0;
    const gaps = await listGapsOfDay(pool, symbol, clockMs);
    if (gaps.length === DAY_GAPS_MAX) tail.marketOf(symbol).gaps.setPartial();
    tail.takeGaps(symbol, gaps.map(spanOfGap));
  }

  function watch(symbol: string): () => void {
    let before: TailEntry | undefined;
    let due: number | undefined;
    let reading = false;

    async function readWhatIsDue(): Promise<void> {
      while (due !== undefined && !stop.signal.aborted) {
        const ordinal = due;
        due = undefined;
        try {
          const isRecorded = (await recorded.past(symbol, ordinal - 1, RECORDED_WITHIN_MS, stop.signal)) !== undefined;
          if (isRecorded) await read(symbol);
          else due ??= ordinal;
        } catch (error) {
          if (stop.signal.aborted) return;
          due ??= ordinal;
          logger.warn({ symbol, err: error }, 'reading the gap ledger failed; retrying');
          await delay(GAPS_FAILED_WAIT_MS, stop.signal).catch(() => undefined);
        }
      }
    }

    function start(): void {
      if (reading) return;
      reading = true;
      const work = readWhatIsDue().finally(() => {
        reading = false;
        running.delete(work);
      });
      running.add(work);
    }

    return tail.listen(symbol, {
      onEntries(entries) {
        for (const entry of entries) {
          const followsOn = before === undefined || (entry.epoch === before.epoch && entry.ordinal === before.ordinal + 1);
          if (entry.event?.kind === 'feed_status' || !followsOn) due = entry.ordinal;
          before = entry;
        }
        if (due !== undefined) start();
      },
      onGaps: () => undefined,
    });
  }

  const stops = tail.symbols.map(watch);
  return {
    async close() {
      stop.abort();
      for (const stopListening of stops) stopListening();
      await Promise.all(running);
    },
  };
}

/** Gaps of the last 24 h without seams. Absent until a symbol is rebuilt. */
export function registerGapMetrics(metrics: Metrics, tail: Pick<MarketTail, 'symbols' | 'peek'>): void {
  const help = 'Gaps of a symbol in the last 24 h, over all channels; seams of a recording lose nothing and are left out.';
  addGauge(metrics, 'data_gaps', help, ['symbol'], (gaps) => {
    for (const symbol of tail.symbols) {
      const market = tail.peek(symbol);
      if (market !== undefined) gaps.set({ symbol }, market.gaps.all().filter(({ isSeam }) => !isSeam).length);
    }
  });
}
