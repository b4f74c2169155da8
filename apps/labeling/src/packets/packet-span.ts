import type { WindowSpan } from './window-span';

/** Packets of one symbol, in one of two orders. */
export interface PacketSpan extends WindowSpan {
  /** Only packets that were known by then, milliseconds since the epoch; null: all. */
  readonly asOfMs: number | null;
  readonly newestFirst: boolean;
}

/** What is left of a span once everything up to this window was read; null: nothing was. */
export function remaining<T extends PacketSpan>(span: T, lastMs: number | null): T {
  if (lastMs === null) return span;
  return span.newestFirst ? { ...span, toMs: lastMs } : { ...span, fromMs: lastMs + 1 };
}
