import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { EntryId } from '@market-state/event-log';
import { sha256Hex } from '@market-state/labeler';
import type { LabelledPacket } from '../packets/packet';
import type { Checkpoint } from './checkpoint';

const gzipAsync = promisify(gzip);

/** The state that a checkpoint is made of, as it was right after one log entry. */
export interface CheckpointState extends Pick<LabelledPacket, 'symbol' | 'windowEndMs' | 'lineageDigest' | 'policyDigest'> {
  readonly id: EntryId;
  /** The whole state, as its serializer wrote it. */
  readonly state: Uint8Array;
}

/** The checkpoint of a state: packed beside the process's other work. */
export async function toCheckpoint({ state, symbol, windowEndMs, lineageDigest, policyDigest, id }: CheckpointState): Promise<Checkpoint> {
  const { epoch, ordinal } = id;
  return {
    symbol,
    windowEndMs,
    epoch,
    ordinal,
    lineageDigest,
    policyDigest,
    stateDigest: sha256Hex(state),
    stateGzip: await gzipAsync(state),
  };
}
