import type { PlayedInstrument } from '@market-state/market-data';

/** A message as an adapter hands it on: a line of a recording, and its receive time. */
export interface LiveMessage {
  readonly receivedMs: number;
  /** `<receive time, ns> <message>`. */
  readonly line: string;
}

/** What one instrument's connection brings. */
export interface LiveMessages {
  readonly name: string;
  readonly instrument: PlayedInstrument;
  readonly messages: readonly LiveMessage[];
}

/** How many messages there are of each kind, most first: `l2Book 512, trades 80`. */
export function mixOf(messages: readonly LiveMessage[]): string {
  const counts = new Map<string, number>();
  for (const { line } of messages) {
    const kind = /"channel":"(\w+)"|"stream":"[a-z0-9_]+@(\w+)/.exec(line.slice(0, 200));
    const name = kind?.[1] ?? kind?.[2] ?? 'answers';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
