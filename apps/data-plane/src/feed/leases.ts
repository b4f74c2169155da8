import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';

/**
 * Names a feed by the address that it serves (`host:port`), and so those that run in its place before and after it, on one machine or in
 * one pod: no two processes of a host have an address at once. One that takes any free port (0) is named for itself.
 */
export function holderOf(grpcAddress: string): string {
  return grpcAddress.endsWith(':0') ? `${hostname()} ${process.pid}-${randomUUID()}` : `${hostname()} ${grpcAddress}`;
}

/** Who may append to the log of each symbol: the feed whose fence is the newest, as long as it renews its lease. */
export interface LeaseStore {
  /**
   * Takes the leases that are free: never taken, let go, or not renewed for so long. Each gets a fence higher than any before.
   * @param above by symbol, a number that the fence is higher than too
   * @returns the fence of each lease taken
   */
  take(above: ReadonlyMap<string, number>, by: { readonly holder: string; readonly leaseMs: number }): Promise<ReadonlyMap<string, number>>;
  /** Lets go of what an earlier process of this name held and cannot write any more. @returns the symbols */
  inherit(symbols: readonly string[], holder: string): Promise<ReadonlySet<string>>;
  /** @returns the symbols whose lease is still the holder's, under the same fence */
  renew(held: ReadonlyMap<string, number>, holder: string): Promise<ReadonlySet<string>>;
  /** Lets go, so that another may take it at once. */
  release(symbol: string, fence: number, holder: string): Promise<void>;
}

/** Others may take a lease that was not renewed for so long, milliseconds. */
export const LEASE_MS = 5_000;

/** Its holder writes no more when it was not renewed for so long: earlier, so that it has stopped when another begins. */
export const WRITE_MS = 4_000;

const RENEW_MS = 1_000;

const SURE_POLL_MS = 50;

/** How often a lease that is not held is asked for. */
const LOOK_MS = 250;

/** A process that comes in the place of a dead one leaves its lease to a standby that is there for so long: that one has missed nothing. */
const YIELD_MS = 2 * LOOK_MS + 100;

/** A feed that could not look for longer than this waits once more for the holder, which may have been away just as long. */
const AWAY_MS = 2_000;

/** The right to append to a symbol's log. */
export interface Fence {
  /** Higher than that of any feed before. */
  readonly number: number;
  /** Aborts when another has the lease, or may have it. */
  readonly lost: AbortSignal;
  /** Resolves when the lease was renewed in time: at once, unless the database or this process was away. Rejects when the signal aborts. */
  untilSure(signal: AbortSignal): Promise<void>;
}

/** The leases of the symbols that a feed plays. */
export interface Leases extends Closable {
  /** Asks for the lease. Resolves with undefined when another feed holds it; waits while the database is away. */
  ask(symbol: string, signal: AbortSignal): Promise<Fence | undefined>;
  /**
   * Lets go: nothing is appended any more. Resolves when another may take it, or when the database is away.
   * @param seenFence the log has seen this fence, and takes none that is not higher
   */
  release(symbol: string, seenFence?: number): Promise<void>;
}

interface LeasesDeps {
  readonly store: LeaseStore;
  /** Names this process, and those that ran in its place before it: no two that run at once have the same. */
  readonly holder: string;
  readonly logger: Logger;
  /** A clock that never goes backwards, milliseconds. */
  readonly monotonicMs: () => number;
  readonly onHeld: (symbol: string, isHeld: boolean) => void;
}

interface Held {
  readonly number: number;
  readonly lost: AbortController;
  /** When the last renewal that was answered was sent. */
  renewedMs: number;
}

/** Renews what is held, and asks for what is wanted, until closed; then lets go of all that is held. */
export function startLeases({ store, holder, logger, monotonicMs, onHeld }: LeasesDeps): Leases {
  const held = new Map<string, Held>();
  const asking = new Map<string, ((fence: Fence | undefined) => void)[]>();
  /** Fences that logs have seen, by symbol. */
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
    onHeld(symbol, false);
    lease.lost.abort(new Error(why));
  }

  async function renew(): Promise<void> {
    const sentMs = monotonicMs();
    if (held.size === 0 || sentMs - renewedMs < RENEW_MS) return;
    renewedMs = sentMs;
    const asked = [...held];
    const ours = await store.renew(new Map(asked.map(([symbol, { number }]) => [symbol, number])), holder);
    for (const [symbol, lease] of asked) {
      if (held.get(symbol) !== lease) continue;
      if (ours.has(symbol)) lease.renewedMs = sentMs;
      else {
        logger.warn({ symbol, fence: lease.number }, 'another feed has taken over');
        lose(symbol, 'another feed has taken over');
      }
    }
  }

  /** A holder that was away as long as this process is given the time to renew what it holds. */
  function isPatient(nowMs: number): boolean {
    if (lookedMs !== undefined && nowMs - lookedMs > AWAY_MS) patientUntilMs = nowMs + AWAY_MS;
    return nowMs < patientUntilMs;
  }

  /** What a process that ran in this one's place had is free: first for those that stand by. */
  async function inherit(symbols: readonly string[], nowMs: number): Promise<void> {
    const asked = symbols.filter((symbol) => !yieldedUntilMs.has(symbol));
    if (asked.length === 0) return;
    const freed = await store.inherit(asked, holder);
    for (const symbol of asked) yieldedUntilMs.set(symbol, freed.has(symbol) ? nowMs + YIELD_MS : -Infinity);
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
    onHeld(symbol, true);
    logger.info({ symbol, fence: number, holder }, 'the lease of the log is held');
    const fence = fenceOf(lease, () => lease.renewedMs);
    if (waiting.length === 0) void letGo(symbol);
    waiting.forEach((resolve) => resolve(fence));
  }

  async function letGo(symbol: string): Promise<void> {
    const lease = held.get(symbol);
    if (lease === undefined) return;
    lose(symbol, 'the lease was let go');
    await store
      .release(symbol, lease.number, holder)
      .catch((error: unknown) => logger.warn({ symbol, err: error }, 'the lease could not be let go: it ends by itself'));
  }

  const work = runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      for (const step of [renew, look])
        await step().catch((error: unknown) => logger.warn({ err: error }, 'the leases of the logs could not be looked at'));
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
