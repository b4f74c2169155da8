import type { GapSpan, TimeSpan } from './gap-ledger';

/**
 * Book silences that overlap (T − lengthMs, T]: time after the log's first book and outside seams in which the newest
 * book, or end of a seam, is older than the staleness limit. `stampsMs`: book times in (T − lengthMs, T] and the last
 * one before, oldest first; `seams`: all in the ledger. Source: ours.
 */
export function bookSilences(
  stampsMs: readonly number[],
  seams: readonly GapSpan[],
  windowEndMs: number,
  lengthMs: number,
  limitMs: number,
): readonly TimeSpan[] {
  const [firstMs] = stampsMs;
  if (firstMs === undefined) return [];
  const startMs = windowEndMs - lengthMs;
  const ends = seams.map((seam) => seam.endMs).filter((endMs) => endMs >= firstMs && endMs <= windowEndMs);
  const anchors = ends.length === 0 ? stampsMs : [...stampsMs, ...ends].sort((a, b) => a - b);
  const silences: TimeSpan[] = [];
  for (let index = 0; index < anchors.length; index++) {
    const fromMs = Math.max(startMs, (anchors[index] as number) + limitMs);
    const untilMs = anchors[index + 1] ?? windowEndMs;
    if (fromMs < untilMs) silences.push(...outside(seams, { startMs: fromMs, endMs: untilMs }, windowEndMs));
  }
  return silences;
}

/** Parts of the span not covered by a seam. An open seam reaches T. */
function outside(seams: readonly GapSpan[], span: TimeSpan, windowEndMs: number): readonly TimeSpan[] {
  let left: readonly TimeSpan[] = [span];
  for (const seam of seams) {
    const seamEndMs = seam.endMs === 0 ? windowEndMs : seam.endMs;
    left = left.flatMap(({ startMs, endMs }) =>
      [
        { startMs, endMs: Math.min(endMs, seam.startMs) },
        { startMs: Math.max(startMs, seamEndMs), endMs },
      ].filter((part) => part.startMs < part.endMs),
    );
  }
  return left;
}
