export type ReadingWindow =
  | 'book_at_window_end'
  | 'book_at_window_end_against_session'
  | 'last_seconds'
  | 'last_context_event'
  | 'last_packets'
  | 'last_steps'
  | 'sources_at_window_end';

export interface Measure {
  readonly unit: string;
  readonly window: ReadingWindow;
  /** Longest window; it never crosses a gap or seam. Null if the newest value is used. */
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
