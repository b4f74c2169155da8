import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Closable, delay, runUntilClosed, waitFor } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { type EventLog, isEventLogError } from '@market-state/event-log';

/**
 * Identifies a feed and its successors by host and address, which no two processes share. Port 0 gets a unique name.
 */
export function holderOf(grpcAddress: string): string {
  return grpcAddress.endsWith(':0') ? `${hostname()} ${process.pid}-${randomUUID()}` : `${hostname()} ${grpcAddress}`;
}

export interface LeaseStore {
  /**
   * Acquires leases that are free, released or expired, each with a fence higher than any before.
   * @param above minimum fence by symbol, exclusive
   */
  take(above: ReadonlyMap<string, number>, by: { readonly holder: string; readonly leaseMs: number }): Promise<ReadonlyMap<string, number>>;
  /** Releases leases of a dead predecessor with the same name. @returns the symbols */
  inherit(symbols: readonly string[], holder: string): Promise<ReadonlySet<string>>;
  /** @returns symbols still held under the same fence */
  renew(held: ReadonlyMap<string, number>, holder: string): Promise<ReadonlySet<string>>;
  release(symbol: string, fence: number, holder: string): Promise<void>;
}

export const LEASE_MS = 5_000;

/** Holders stop writing earlier than the expiry, so that writers never overlap. */
export const WRITE_MS = 4_000;

const RENEW_MS = 1_000;

const SURE_POLL_MS = 50;

const LOOK_MS = 250;

/** A successor leaves a dead process's lease to a ready standby for this long: the standby missed nothing. */
const YIELD_MS = 2 * LOOK_MS + 100;

/** After a longer stall, waits again for the holder, which may have stalled too. */
const AWAY_MS = 2_000;

export interface Fence {
  readonly number: number;
  /** Aborts when another feed has, or may have, the lease. */
  readonly lost: AbortSignal;
  /** Resolves once the lease was renewed in time. Rejects when the signal aborts. */
  untilSure(signal: AbortSignal): Promise<void>;
}

export interface Leases extends Closable {
  ask(symbol: string, signal: AbortSignal): Promise<Fence | undefined>;
  /**
   * Also resolves if the database is unavailable.
   * @param seenFence newest fence in the log; the next one must be higher
   */
  release(symbol: string, seenFence?: number): Promise<void>;
}

interface LeasesDeps {
  readonly store: LeaseStore;
  readonly holder: string;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
  readonly onLeaseChange: (symbol: string, isHeld: boolean) => void;
}

interface Held {
  readonly number: number;
  readonly lost: AbortController;
  /** Send time of the last acknowledged renewal. */
  renewedMs: number;
}

export function startLeases({ store, holder, logger, monotonicMs, onLeaseChange }: LeasesDeps): Leases {
  const held = new Map<string, Held>();
  const asking = new Map<string, ((fence: Fence | undefined) => void)[]>();
  const seen = new Map<string, number>();
  const yieldedUntilMs = new Map<string, number>();
  let wake = (): void => undefined;
  let lookedMs: number | undefined;
  let renewedMs = -Infinity;
  let patientUntilMs = -Infinity;

  function fenceOf({ number, lost }: Held, renewedAtMs: () => number): Fence {
    return {
      number,
      lost: lost.signal,
      async untilSure(signal) {
        while (monotonicMs() - renewedAtMs() >= WRITE_MS) await delay(SURE_POLL_MS, AbortSignal.any([signal, lost.signal]));
        lost.signal.throwIfAborted();
      },
    };
  }

  function lose(symbol: string, why: string): void {
    const lease = held.get(symbol);
    if (lease === undefined) return;
    held.delete(symbol);
    onLeaseChange(symbol, false);
    lease.lost.abort(new Error(why));
  }

  async function renew(): Promise<void> {
    const sentMs = monotonicMs();
    if (held.size === 0 || sentMs - renewedMs < RENEW_MS) return;
    renewedMs = sentMs;
    const renewing = [...held];
    const ours = await store.renew(new Map(renewing.map(([symbol, { number }]) => [symbol, number])), holder);
    for (const [symbol, lease] of renewing) {
      if (held.get(symbol) !== lease) continue;
      if (ours.has(symbol)) lease.renewedMs = sentMs;
      else {
        logger.warn({ symbol, fence: lease.number }, 'another feed has taken over');
        lose(symbol, 'another feed has taken over');
      }
    }
  }

  /** Leaves time to renew for a holder that stalled as long as this process. */
  function isPatient(nowMs: number): boolean {
    if (lookedMs !== undefined && nowMs - lookedMs > AWAY_MS) patientUntilMs = nowMs + AWAY_MS;
    return nowMs < patientUntilMs;
  }

  /** Offers them to standbys first. */
  async function inherit(symbols: readonly string[], nowMs: number): Promise<void> {
    const eligible = symbols.filter((symbol) => !yieldedUntilMs.has(symbol));
    if (eligible.length === 0) return;
    const freed = await store.inherit(eligible, holder);
    for (const symbol of eligible) yieldedUntilMs.set(symbol, freed.has(symbol) ? nowMs + YIELD_MS : -Infinity);
  }

  async function look(): Promise<void> {
    const sentMs = monotonicMs();
    await inherit([...asking.keys()], sentMs);
    const symbols = [...asking].flatMap(([symbol, waiting]) =>
      waiting.length > 0 && sentMs >= (yieldedUntilMs.get(symbol) ?? Infinity) ? [symbol] : [],
    );
    if (symbols.length === 0) return;
    const above = new Map(symbols.map((symbol) => [symbol, seen.get(symbol) ?? 0]));
    const taken = await store.take(isPatient(sentMs) ? new Map() : above, { holder, leaseMs: LEASE_MS });
    lookedMs = sentMs;
    for (const symbol of symbols) answer(symbol, taken.get(symbol), sentMs);
  }

  function answer(symbol: string, number: number | undefined, sentMs: number): void {
    const waiting = asking.get(symbol) ?? [];
    asking.delete(symbol);
    if (number === undefined) return waiting.forEach((resolve) => resolve(undefined));
    const lease = { number, lost: new AbortController(), renewedMs: sentMs };
    held.set(symbol, lease);
    onLeaseChange(symbol, true);
    logger.info({ symbol, fence: number, holder }, 'lease of the log acquired');
    const fence = fenceOf(lease, () => lease.renewedMs);
    if (waiting.length === 0) void letGo(symbol);
    waiting.forEach((resolve) => resolve(fence));
  }

  async function letGo(symbol: string): Promise<void> {
    const lease = held.get(symbol);
    if (lease === undefined) return;
    lose(symbol, 'lease released');
    await store
      .release(symbol, lease.number, holder)
      .catch((error: unknown) => logger.warn({ symbol, err: error }, 'releasing the lease failed; it will expire'));
  }

  const work = runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      for (const step of [renew, look])
        await step().catch((error: unknown) => logger.warn({ err: error }, 'leases of the logs could not be read'));
      await Promise.race([delay(LOOK_MS, signal).catch(() => undefined), woken]);
    }
  });

  return {
    ask(symbol, signal) {
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const give = (fence: Fence | undefined): void => {
          signal.removeEventListener('abort', refuse);
          resolve(fence);
        };
        const refuse = (): void => {
          asking.set(symbol, asking.get(symbol)?.filter((waiting) => waiting !== give) ?? []);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', refuse, { once: true });
        asking.set(symbol, [...(asking.get(symbol) ?? []), give]);
        if (!yieldedUntilMs.has(symbol)) wake();
      });
    },
    async release(symbol, seenFence) {
      if (seenFence !== undefined) seen.set(symbol, seenFence);
      await letGo(symbol);
    },
    async close() {
      await work.close();
      await Promise.all([...held.keys()].map((symbol) => letGo(symbol)));
    },
  };
}

interface HoldDeps {
  readonly leases: Leases;
  readonly eventLog: EventLog;
  readonly logger: Logger;
  readonly status: { paused(reason: 'memory'): void };
}

/**
 * Also waits until the log rejects older fences.
 * @param onLeasedByAnother called each time another feed holds it
 */
export async function acquireLogLease(deps: HoldDeps, symbol: string, onLeasedByAnother: () => void, signal: AbortSignal): Promise<Fence> {
  const { leases, eventLog, logger, status } = deps;
  for (;;) {
    const fence = await leases.ask(symbol, signal);
    if (fence === undefined) {
      onLeasedByAnother();
      continue;
    }
    const whileLeased = AbortSignal.any([signal, fence.lost]);
    const claim = (): Promise<number> =>
      eventLog.claim(symbol, fence.number).catch((error: unknown) => {
        if (isEventLogError(error, 'full')) status.paused('memory');
        throw error;
      });
    const newest = await waitFor('event_log', claim, { signal: whileLeased, logger }).catch((error: unknown) => {
      if (signal.aborted || !fence.lost.aborted) throw error;
      return undefined;
    });
    if (newest === fence.number) return fence;
    // After a database restore, its fences are older than the log's.
    if (newest !== undefined) await leases.release(symbol, newest);
  }
}
