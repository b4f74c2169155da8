/** While the log is followed live, the state is saved when so many packets have come since it was saved last. */
const PACKETS_MAX = 6;

/**
 * Entries after a packet before a live save: about a second. Symbols close their windows at the same instant, and a save
 * keeps the process busy for longer than a packet does.
 */
const ENTRIES_APART = 16;

/** Entries since the last save at which it is saved in any case: while catching up, and where no window closes. */
const ENTRIES_MAX = 5_000;

/** One batch of entries as the schedule sees it. */
export interface BatchFacts {
  readonly entryTotal: number;
  readonly packetTotal: number;
  /** Entries after the one that closed the batch's last packet; all of them when it closed none. */
  readonly entriesAfterPacket: number;
  /** More entries are waiting. */
  readonly catchingUp: boolean;
}

/** Says when the reducer's state is worth saving. */
export interface SaveSchedule {
  /** Whether to save after this batch. */
  isDue(batch: BatchFacts): boolean;
  /** Entries that a save now would cover. */
  unsavedTotal(): number;
  /** It was saved for another reason. */
  saved(): void;
}

export function createSaveSchedule(): SaveSchedule {
  let entries = 0;
  let packets = 0;
  let entriesApart = 0;

  function saved(): void {
    entries = packets = 0;
  }

  return {
    isDue(batch) {
      entries += batch.entryTotal;
      packets += batch.packetTotal;
      entriesApart = batch.packetTotal > 0 ? batch.entriesAfterPacket : entriesApart + batch.entryTotal;
      const due = entries >= ENTRIES_MAX || (!batch.catchingUp && packets >= PACKETS_MAX && entriesApart >= ENTRIES_APART);
      if (due) saved();
      return due;
    },
    unsavedTotal: () => entries,
    saved,
  };
}
