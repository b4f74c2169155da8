import type { labeling } from '@market-state/contracts';
import { type Fault, invalidArgument, notFound } from '@market-state/errors';
import { WINDOW_MS } from '@market-state/market-data';
import { cutPage } from '@market-state/page-token';
import { symbolFaults } from '@market-state/request-checks';
import type { CheckpointReader } from '../checkpoints/checkpoint';
import { remaining } from '../packets/packet-reader';
import { toPageToken } from '../packets/packet-page';
import { readSpanRequest, assertServed } from './span-request';
import { toProtoCheckpoint } from './wire';

interface GetCheckpointDeps {
  readonly checkpoints: Pick<CheckpointReader, 'find'>;
  readonly symbols: readonly string[];
}

export async function getCheckpoint(
  deps: GetCheckpointDeps,
  { symbol, windowEndMs }: labeling.GetCheckpointRequest,
): Promise<labeling.GetCheckpointResponse> {
  const faults = [...symbolFaults(symbol), ...windowFaults(windowEndMs)];
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed([symbol], deps.symbols);
  const checkpoint = await deps.checkpoints.find(symbol, windowEndMs);
  if (checkpoint === undefined) throw notFound('checkpoint_not_found', `${symbol} has no checkpoint at ${windowEndMs}.`);
  return { header: toProtoCheckpoint(checkpoint), stateGzip: Buffer.from(checkpoint.stateGzip) };
}

function windowFaults(windowEndMs: number): Fault[] {
  if (windowEndMs > 0 && windowEndMs % WINDOW_MS === 0) return [];
  return [{ field: 'window_end_ms', message: `must be a positive multiple of ${WINDOW_MS}`, type: 'out_of_range' }];
}

interface ListCheckpointsDeps {
  readonly checkpoints: Pick<CheckpointReader, 'list'>;
  readonly symbols: readonly string[];
}

export async function listCheckpoints(
  deps: ListCheckpointsDeps,
  request: labeling.ListCheckpointsRequest,
): Promise<labeling.ListCheckpointsResponse> {
  const { span, afterMs, pageSize } = readSpanRequest(request, deps.symbols);
  const found = await deps.checkpoints.list(remaining(span, afterMs), pageSize + 1);
  const { page, nextPageToken } = cutPage(found, pageSize, ({ windowEndMs }) => toPageToken(span, windowEndMs));
  return { checkpoints: page.map(toProtoCheckpoint), nextPageToken };
}
