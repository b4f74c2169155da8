/** A time that lasts, milliseconds; the end is not in it. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** Spans that touch or overlap, joined: each joined span with those that it is made of, oldest first. */
export function joinSpans<Each extends Span>(spans: readonly Each[]): (Span & { readonly parts: readonly Each[] })[] {
  const joined: { startMs: number; endMs: number; parts: Each[] }[] = [];
  for (const span of spans.toSorted((one, other) => one.startMs - other.startMs)) {
    const last = joined.at(-1);
    if (last === undefined || span.startMs > last.endMs) joined.push({ startMs: span.startMs, endMs: span.endMs, parts: [span] });
    else {
      last.endMs = Math.max(last.endMs, span.endMs);
      last.parts.push(span);
    }
  }
  return joined;
}
