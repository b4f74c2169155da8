import type { PacketResult } from '@market-state/labeler';
import type { MarketEvent } from '@market-state/market-data';
import { BTC, ETH, labelPurely } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

export const startMs = Math.floor(Date.now() / 10_000) * 10_000 - 1_300_000;
export const logs: Readonly<Record<string, MarketEvent[]>> = {
  [BTC]: syntheticLog({ symbol: BTC, seconds: 700, seed: 4, stepMs: 1_000, startMs }),
  [ETH]: syntheticLog({ symbol: ETH, seconds: 400, seed: 9, stepMs: 1_000, startMs }),
};
export const made: Readonly<Record<string, PacketResult[]>> = { [BTC]: labelPurely(logs[BTC] ?? []), [ETH]: labelPurely(logs[ETH] ?? []) };

export interface Body {
  readonly state: string;
  readonly event_class: string;
  readonly event_profile: string;
  readonly tags: readonly string[];
  readonly reason_details: readonly { readonly claim: string }[];
  readonly event_severity: { readonly severity_class: string; readonly score: number };
  readonly state_label: string;
  readonly reference_prices: { readonly mid_price: number | null };
  readonly state_diagnosis: {
    readonly crossed_thresholds: readonly { readonly crossing_class: string }[];
    readonly runner_up_state: string;
    readonly state_margin: number;
  };
}

export interface Reported {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly eventId: string;
  readonly body: Body;
}

export const reported: Reported[] = [BTC, ETH].flatMap((symbol) =>
  (made[symbol] ?? []).map(({ windowEndMs, eventId, body }: PacketResult) => ({
    symbol,
    windowEndMs,
    eventId,
    body: JSON.parse(body) as Body,
  })),
);

/** Newest first; within a window, symbols in descending order. */
export function expectedIds(holds: (event: Reported) => boolean): string[] {
  return reported
    .filter(holds)
    .sort((a, b) => b.windowEndMs - a.windowEndMs || (a.symbol < b.symbol ? 1 : -1))
    .map(({ eventId }) => eventId);
}

export function claimsOf({ reason_details: reasons }: Body): string[] {
  return reasons.map(({ claim }) => claim);
}

/** Finds whole words by another method than the index. */
export function hasWord(text: string, word: string): boolean {
  return new RegExp(`(^|[^a-z0-9])${word}([^a-z0-9]|$)`, 'i').test(text);
}
