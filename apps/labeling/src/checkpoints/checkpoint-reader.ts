import type { WindowSpan } from '../packets/window-span';
import type { Checkpoint, CheckpointHeader } from './checkpoint';

/** Reads stored checkpoints. */
export interface CheckpointReader {
  /** Headers of the span whose window ends after `afterMs`, at most `count`, oldest first. */
  list(span: WindowSpan, afterMs: number | null, count: number): Promise<CheckpointHeader[]>;
  find(symbol: string, windowEndMs: number): Promise<Checkpoint | undefined>;
}
