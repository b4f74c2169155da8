import type { FeedStatus } from '../event';

type Gap = Extract<FeedStatus, { type: 'gap' }>;

/** The gaps of a log that have not ended, in the order of their entries. */
export class OpenGaps {
  private readonly gaps = new Map<string, Gap>();

  apply(status: FeedStatus): void {
    if (status.type === 'gap' && status.endMs === 0) this.gaps.set(status.gapId, status);
    else if (status.type === 'gap' || status.type === 'resynced') this.gaps.delete(status.gapId);
  }

  list(): readonly Gap[] {
    return [...this.gaps.values()];
  }
}
