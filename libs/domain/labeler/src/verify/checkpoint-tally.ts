import type { MarketEvent } from '@market-state/market-data';
import { sha256Hex } from '../lineage/digests';
import type { LabelerState } from '../reducer/labeler-state';
import { serializeState } from '../state/serialize-state';
import type { FieldDifference } from './compare-packet';
import type { RetainedCheckpoint } from './retained';

/** A checkpoint that re-derivation does not give. */
interface CheckpointDifference {
  readonly windowEndMs: number;
  readonly ordinal: number;
  /** Empty when the entry it stands after is not among those read. */
  readonly fields: readonly FieldDifference[];
}

/** How the checkpoints on the way compare with the state that re-derivation had there. */
export interface CheckpointCount {
  readonly equal: number;
  readonly different: readonly CheckpointDifference[];
  /** Stand after entries that were not read: the rows end before. */
  readonly awaiting: number;
}

/** Compares the state with each checkpoint on the way. */
export class CheckpointTally {
  private readonly waiting: RetainedCheckpoint[];
  private equal = 0;
  private readonly different: CheckpointDifference[] = [];

  /** @param checkpoints of one symbol and policy, in log order */
  constructor(checkpoints: readonly RetainedCheckpoint[]) {
    this.waiting = [...checkpoints];
  }

  /** Whether every checkpoint was met. */
  get done(): boolean {
    return this.waiting.length === 0;
  }

  /** To be called before an entry is reduced: a checkpoint after an entry that did not come cannot be met any more. */
  before({ ordinal }: MarketEvent): void {
    for (let next = this.waiting[0]; next !== undefined && next.ordinal < ordinal; next = this.waiting[0]) {
      this.different.push({ windowEndMs: next.window_end_ms, ordinal: next.ordinal, fields: [] });
      this.waiting.shift();
    }
  }

  /** To be called after an entry was reduced. */
  after(state: LabelerState): void {
    const next = this.waiting[0];
    if (next === undefined || next.ordinal !== state.log.ordinal) return;
    this.waiting.shift();
    const fields = differencesOf(next, state);
    if (fields.length === 0) this.equal++;
    else this.different.push({ windowEndMs: next.window_end_ms, ordinal: next.ordinal, fields });
  }

  count(): CheckpointCount {
    return { equal: this.equal, different: [...this.different], awaiting: this.waiting.length };
  }
}

function differencesOf(checkpoint: RetainedCheckpoint, state: LabelerState): readonly FieldDifference[] {
  const pairs = [
    ['state_digest', checkpoint.state_digest, sha256Hex(serializeState(state))],
    ['lineage_digest', checkpoint.lineage_digest, state.chain.lineageDigest],
    ['epoch', checkpoint.epoch, state.log.epoch],
  ] as const;
  return pairs.filter(([, kept, made]) => kept !== made).map(([field, retained, rederived]) => ({ field, retained, rederived }));
}
