/** Data that a value is read from. */
export type ReadingWindow =
  | 'book_at_window_end'
  | 'book_at_window_end_against_session'
  | 'last_seconds'
  | 'last_context_event'
  | 'last_packets'
  | 'last_steps'
  | 'sources_at_window_end';

/** Unit, window and meaning of a value. */
export interface Measure {
  readonly unit: string;
  readonly window: ReadingWindow;
  /** Longest window; it never crosses a gap or seam. Null if the newest value is used. */
  readonly windowSeconds: number | null;
  readonly meaning: string;
}

/** Measure of the book in force at the window's end. */
export function atWindowEnd(unit: string, meaning: string): Measure {
  return { unit, window: 'book_at_window_end', windowSeconds: null, meaning };
}

/** Measure over the last `milliseconds` before the window's end. */
export function lastSeconds(unit: string, milliseconds: number, meaning: string): Measure {
  return { unit, window: 'last_seconds', windowSeconds: milliseconds / 1_000, meaning };
}

/** Measure of the newest context event. */
export function lastContext(unit: string, meaning: string): Measure {
  return { unit, window: 'last_context_event', windowSeconds: null, meaning };
}
