/** Which stored rows of a packet are still kept. */
export type SourceWindowStatus = 'evidence_attached' | 'retained_companion_rows' | 'retained_context_rows';

/** Rows of one channel: those that the packet applied in its window, and those kept of the window, and of what is read beside it. */
export interface ChannelRows {
  /** Null where the channel is not reported. */
  readonly applied: number | null;
  readonly retainedInWindow: number;
  /** Of the window and of the time before it that the packet reads too. */
  readonly retained: number;
}

/**
 * `evidence_attached`: for each channel as many rows of the window are kept as the packet applied, and there are some;
 * `retained_companion_rows`: some rows are kept, but not all of its own; `retained_context_rows`: only the packet is.
 */
export function sourceWindowStatus(channels: readonly ChannelRows[]): SourceWindowStatus {
  const own = channels.filter(({ applied }) => applied !== null && applied > 0);
  if (own.length > 0 && own.every(({ applied, retainedInWindow }) => retainedInWindow >= (applied ?? 0))) return 'evidence_attached';
  return channels.some(({ retained }) => retained > 0) ? 'retained_companion_rows' : 'retained_context_rows';
}
