import type { EventFilter } from './event';

/** The windows whose packets are planned. */
export type PacketHoursFilter = Pick<EventFilter, 'fromMs' | 'toMs' | 'asOfMs'> & { readonly symbol: string };

/** Packets of one symbol whose windows end in one hour. */
export interface PacketHour {
  readonly hourMs: number;
  /** Those of the span. */
  readonly rowTotal: number;
  /** Absent where the hour is not archived. */
  readonly file: { readonly key: string; readonly sha256: string; readonly bytes: number } | undefined;
}

/** Where the packets of a span are. */
export interface PacketHours {
  /** Oldest first; hours without a packet of the span are left out. */
  readonly hours: readonly PacketHour[];
  /** Window end of the oldest packet that is kept; undefined where there is none. */
  readonly keptFromMs: number | undefined;
}
