import { type StateReading, stripOf } from '@market-state/packet-figures';

type StripPart = ReturnType<typeof stripOf>[number];

export interface TimeSpan {
  readonly startMs: number;
  readonly endMs: number;
}

export const UNKNOWN_PARTS = {
  missing: 'missing: no packet is stored between these two',
  unread: 'not loaded yet',
  omitted: 'not shown in this picture',
  'no-packet': 'before the first packet',
} as const;

export type UnknownPart = keyof typeof UNKNOWN_PARTS;

export function isUnknown(word: string): word is UnknownPart {
  return Object.hasOwn(UNKNOWN_PARTS, word);
}

/**
 * @param unread spans whose packets are not loaded yet
 * @param omitted spans that miss no packet although some are left out
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
