import type { labeling } from '@market-state/contracts';
import { type Fault, invalidArgument, notFound } from '@market-state/errors';
import { WINDOW_MS } from '@market-state/market-data';
import { symbolFaults } from '@market-state/request-checks';
import type { CheckpointReader } from '../checkpoints/checkpoint-reader';
import { assertServed } from './assert-served';
import { toProtoCheckpoint } from './wire';

export interface GetCheckpointDeps {
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
