/** What a value is read from. */
export type ReadingWindow =
  | 'book_at_window_end'
  | 'book_at_window_end_against_session'
  | 'last_seconds'
  | 'last_context_event'
  | 'last_packets'
  | 'last_steps'
  | 'sources_at_window_end';

/** How a value is counted, over what, and what it says. */
export interface Measure {
  readonly unit: string;
  readonly window: ReadingWindow;
  /** Length of the window, at most: nothing reaches over a cut. Null where the newest value holds. */
  readonly windowSeconds: number | null;
  readonly meaning: string;
}

export function atWindowEnd(unit: string, meaning: string): Measure {
  return { unit, window: 'book_at_window_end', windowSeconds: null, meaning };
}

export function lastSeconds(unit: string, milliseconds: number, meaning: string): Measure {
  return { unit, window: 'last_seconds', windowSeconds: milliseconds / 1_000, meaning };
}

export function lastContext(unit: string, meaning: string): Measure {
  return { unit, window: 'last_context_event', windowSeconds: null, meaning };
}
