import type { PacketResult } from '@market-state/labeler';

type Packet = PacketResult['packet'];

/** What is counted, by the name of its words in the taxonomy. */
const ASPECTS = {
  states: ({ state }: Packet) => state,
  event_classes: ({ event_class: eventClass }: Packet) => eventClass,
  severity_classes: ({ event_severity: severity }: Packet) => severity.severity_class,
} as const;

/** A part of the taxonomy. */
export type Aspect = keyof typeof ASPECTS;

export const aspects = Object.keys(ASPECTS) as Aspect[];

/** Where a word occurred: how often, and in which spans of packets in a row. */
export interface Occurrence {
  readonly packetTotal: number;
  /** Window ends, milliseconds since the market began; both ends included. */
  readonly spans: readonly { readonly fromMs: number; readonly toMs: number }[];
}

/** Counts which words packets bear, and when. */
export class Occurrences {
  private readonly seen: Readonly<Record<Aspect, Map<string, { packetTotal: number; spans: { fromMs: number; toMs: number }[] }>>> = {
    states: new Map(),
    event_classes: new Map(),
    severity_classes: new Map(),
  };
  private lastMs = -1;

  /** @param atMs its window's end, milliseconds since the market began; later than that of the packet before */
  add(packet: Packet, atMs: number): void {
    for (const aspect of aspects) {
      const word = ASPECTS[aspect](packet);
      const known = this.seen[aspect].get(word) ?? { packetTotal: 0, spans: [] };
      this.seen[aspect].set(word, known);
      known.packetTotal++;
      const last = known.spans.at(-1);
      if (last !== undefined && last.toMs === this.lastMs) last.toMs = atMs;
      else known.spans.push({ fromMs: atMs, toMs: atMs });
    }
    this.lastMs = atMs;
  }

  /** Undefined where it never occurred. */
  of(aspect: Aspect, word: string): Occurrence | undefined {
    return this.seen[aspect].get(word);
  }
}

/** Minutes and seconds. */
export function clockText(atMs: number): string {
  return `${Math.floor(atMs / 60_000)}:${String((atMs % 60_000) / 1_000).padStart(2, '0')}`;
}
