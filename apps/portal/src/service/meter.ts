import type { CallFacts } from '@market-state/client';
import { useEffect, useSyncExternalStore } from 'react';

/** Credits that this tab has spent, and those that it goes on to spend. */
export interface Metering {
  /** Credits charged since the tab was opened. */
  readonly spent: number;
  /** Credits charged since the page was opened, reads at its opening included. */
  readonly spentOnPage: number;
  /** Credits charged since the balances of the session were read. */
  readonly spentSinceBalances: number;
  /** Most credits an hour of everything that goes on by itself: streams and repeated reads. */
  readonly perHour: number;
}

let metering: Metering = { spent: 0, spentOnPage: 0, spentSinceBalances: 0, perHour: 0 };
const running = new Map<string, number>();
const listeners = new Set<() => void>();

function set(next: Partial<Metering>): void {
  metering = { ...metering, ...next };
  for (const changed of listeners) changed();
}

function charge(credits: number): void {
  const { spent, spentOnPage, spentSinceBalances } = metering;
  set({ spent: spent + credits, spentOnPage: spentOnPage + credits, spentSinceBalances: spentSinceBalances + credits });
}

/** Adds the cost of a call. */
export function noteCall({ charged }: Pick<CallFacts, 'charged'>): void {
  if (charged !== null && charged > 0) charge(charged);
}

/** Notes that another page was opened. */
export function notePage(): void {
  set({ spentOnPage: 0 });
}

/** Notes that the session's balances were read: they contain every charge until now. */
export function noteBalances(): void {
  set({ spentSinceBalances: 0 });
}

/** Messages that a stream charges one credit for, from the first of them on. */
const MESSAGES_A_CREDIT = 100;

/** The messages of a stream that this tab reads; each credit that they cost is added. */
export async function* metered<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message, void, undefined> {
  let total = 0;
  for await (const message of messages) {
    if (total % MESSAGES_A_CREDIT === 0) charge(1);
    total += 1;
    yield message;
  }
}

/** Credits that so many messages cost. */
export function creditsOf(messages: number): number {
  return messages / MESSAGES_A_CREDIT;
}

function setRunning(name: string, creditsPerHour: number | null): void {
  if (creditsPerHour === null) running.delete(name);
  else running.set(name, creditsPerHour);
  set({ perHour: [...running.values()].reduce((total, each) => total + each, 0) });
}

/** While the caller is shown, its cost an hour is part of the status bar. */
export function useRunningCost(name: string, creditsPerHour: number | null): void {
  useEffect(() => {
    setRunning(name, creditsPerHour);
    return () => setRunning(name, null);
  }, [name, creditsPerHour]);
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

export function useMetering(): Metering {
  return useSyncExternalStore(subscribe, () => metering);
}
