import type { WindowSpan } from '../packets/window-span';
import type { Checkpoint, CheckpointHeader } from './checkpoint';

/** Reads stored checkpoints. */
export interface CheckpointReader {
  /** The first headers of the span, at most `count`, oldest first. */
  list(span: WindowSpan, count: number): Promise<CheckpointHeader[]>;
  find(symbol: string, windowEndMs: number): Promise<Checkpoint | undefined>;
}
