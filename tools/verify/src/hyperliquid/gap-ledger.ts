import type { Channel, FeedStatus } from '@market-state/market-data';

interface Entry {
  readonly channel: Channel | undefined;
  readonly startMs: number;
  /** 0 while it is open. */
  endMs: number;
}

/** The gaps that a log tells, as the ledger has them: one entry an id, open until the log ends it. */
export class GapLedger {
  private readonly entries = new Map<string, Entry>();

  /** @returns what is wrong with the entry, if anything */
  apply(status: FeedStatus): string | undefined {
    if (status.type !== 'gap' && status.type !== 'resynced') return undefined;
    const { gapId, channel, startMs, endMs } = status;
    const known = this.entries.get(gapId);
    if (endMs !== 0 && endMs < startMs) return `gap ${gapId} ends before it starts`;
    if (known === undefined) {
      if (status.type === 'resynced') return `gap ${gapId} is resynced and was never told`;
      this.entries.set(gapId, { channel, startMs, endMs });
      return undefined;
    }
    if (known.endMs !== 0) return `gap ${gapId} is told again after its end`;
    known.endMs = endMs;
    return undefined;
  }

  get size(): number {
    return this.entries.size;
  }

  /** How many have not ended. */
  get open(): number {
    return [...this.entries.values()].filter(({ endMs }) => endMs === 0).length;
  }

  /** Milliseconds of [fromMs, toMs] that no gap of the channel covers. */
  uncovered(channel: Channel, fromMs: number, toMs: number): number {
    const spans = [...this.entries.values()]
      .filter((entry) => entry.channel === undefined || entry.channel === channel)
      .sort((a, b) => a.startMs - b.startMs);
    let left = 0;
    let atMs = fromMs;
    for (const { startMs, endMs } of spans) {
      if (startMs > atMs) left += Math.max(0, Math.min(startMs, toMs) - atMs);
      atMs = Math.max(atMs, endMs === 0 ? toMs : endMs);
    }
    return left + Math.max(0, toMs - atMs);
  }

  /** Whether a gap of the channel holds this moment, its ends included. */
  holds(channel: Channel, atMs: number): boolean {
    return [...this.entries.values()].some(
      (entry) =>
        (entry.channel === undefined || entry.channel === channel) && entry.startMs <= atMs && (entry.endMs === 0 || atMs <= entry.endMs),
    );
  }
}
