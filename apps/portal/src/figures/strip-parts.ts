import { type StateReading, stripOf } from '@market-state/packet-figures';

type StripPart = ReturnType<typeof stripOf>[number];

/** A span of time, milliseconds since the epoch. */
export interface TimeSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** Parts of a strip that show no state, by their word. */
export const UNKNOWN_PARTS = {
  missing: 'missing: no packet is kept between these two',
  unread: 'not loaded yet',
  omitted: 'not shown in this picture',
  'no-packet': 'no packet before the first one',
} as const;

export type UnknownPart = keyof typeof UNKNOWN_PARTS;

export function isUnknown(word: string): word is UnknownPart {
  return Object.hasOwn(UNKNOWN_PARTS, word);
}

/**
 * The states of a span side by side. A part without a state says why: not loaded yet, not shown, before the first packet, or packets are
 * missing.
 * @param unread spans whose packets are not loaded yet
 * @param omitted spans without a missing packet, though some packets are not given
 */
export function stripParts(
  readings: readonly StateReading[],
  startMs: number,
  endMs: number,
  unread: readonly TimeSpan[] = [],
  omitted: readonly TimeSpan[] = [],
): readonly StripPart[] {
  const wordOf = (part: StripPart): UnknownPart => {
    const meets = (span: TimeSpan): boolean => span.startMs < part.endMs && part.startMs < span.endMs;
    if (unread.some(meets)) return 'unread';
    if (omitted.some(meets)) return 'omitted';
    return part.startMs <= startMs ? 'no-packet' : 'missing';
  };
  return stripOf(readings, startMs, endMs).map((part) => {
    if (part.word !== 'missing') return part;
    const word = wordOf(part);
    return { ...part, word, label: UNKNOWN_PARTS[word] };
  });
}
