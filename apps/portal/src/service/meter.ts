import type { CallFacts, Schemas } from '@market-state/client';
import { useEffect, useSyncExternalStore } from 'react';

interface Metering {
  readonly spent: number;
  /** Includes the reads that opened the page. */
  readonly spentOnPage: number;
  readonly spentSinceBalances: number;
  /** Maximum of open streams and repeated reads. */
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

export function noteCall({ charged }: Pick<CallFacts, 'charged'>): void {
  if (charged !== null && charged > 0) charge(charged);
}

export function notePage(): void {
  set({ spentOnPage: 0 });
}

/** The balances just read include every charge so far. */
export function noteBalances(): void {
  set({ spentSinceBalances: 0 });
}

/** Streams charge one credit at the first of each 100 messages. */
const MESSAGES_A_CREDIT = 100;

export async function* metered<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message, void, undefined> {
  let total = 0;
  for await (const message of messages) {
    if (total % MESSAGES_A_CREDIT === 0) charge(1);
    total += 1;
    yield message;
  }
}

export function creditsOf(messages: number): number {
  return messages / MESSAGES_A_CREDIT;
}

function setRunning(name: string, creditsPerHour: number | null): void {
  if (creditsPerHour === null) running.delete(name);
  else running.set(name, creditsPerHour);
  set({ perHour: [...running.values()].reduce((total, each) => total + each, 0) });
}

/** Shown in the status bar while the caller is mounted. */
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

type Balance = Schemas['CreditBalance'];

export interface CreditsLeft {
  readonly kind: Balance['credit_kind'];
  /** Includes reserved credits until they are charged. */
  readonly left: number;
  readonly reservedForExports: number;
  readonly reservedForCalls: number;
  readonly spentToday: number;
  readonly spentThisMonth: number;
}

/** @param charged market-state credits charged to this tab since the balance was read */
export function creditsLeft({ credit_kind: kind, ...balance }: Balance, charged: number): CreditsLeft {
  const spent = kind === 'market_state' ? charged : 0;
  return {
    kind,
    left: Math.max(0, balance.available + balance.held + balance.leased_to_gateways - spent),
    reservedForExports: balance.held,
    reservedForCalls: Math.max(0, balance.leased_to_gateways - spent),
    spentToday: balance.spent_today + spent,
    spentThisMonth: balance.spent_this_month + spent,
  };
}
