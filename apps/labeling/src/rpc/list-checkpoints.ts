import type { labeling } from '@market-state/contracts';
import type { CheckpointReader } from '../checkpoints/checkpoint-reader';
import { remaining } from '../packets/packet-span';
import { toPageToken } from '../packets/page-token';
import { readSpanRequest } from './span-request';
import { toProtoCheckpoint } from './wire';

export interface ListCheckpointsDeps {
  readonly checkpoints: Pick<CheckpointReader, 'list'>;
  readonly symbols: readonly string[];
}

export async function listCheckpoints(
  deps: ListCheckpointsDeps,
  request: labeling.ListCheckpointsRequest,
): Promise<labeling.ListCheckpointsResponse> {
  const { span, afterMs, pageSize } = readSpanRequest(request, deps.symbols);
  const found = await deps.checkpoints.list(remaining(span, afterMs), pageSize + 1);
  const page = found.slice(0, pageSize);
  const last = page.at(-1);
  const nextPageToken = found.length > pageSize && last !== undefined ? toPageToken(span, last.windowEndMs) : '';
  return { checkpoints: page.map(toProtoCheckpoint), nextPageToken };
}
