import type { labeling } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import { symbolFaults } from '@market-state/request-checks';
import type { ReadArchiveTotals } from '../store/archive-totals';
import { assertServed } from './assert-served';
import { toProtoArchive } from './wire';

export interface GetPacketArchiveDeps {
  readonly archiveTotals: ReadArchiveTotals;
  readonly symbols: readonly string[];
}

export async function getPacketArchive(
  { archiveTotals, symbols }: GetPacketArchiveDeps,
  { symbol, toWindowEndMs }: labeling.GetPacketArchiveRequest,
): Promise<labeling.GetPacketArchiveResponse> {
  const bound = toWindowEndMs < 0 ? [{ field: 'to_window_end_ms', message: 'must not be negative', type: 'out_of_range' }] : [];
  const faults = [...symbolFaults(symbol), ...bound];
  if (faults.length > 0) throw invalidArgument(faults);
  assertServed([symbol], symbols);
  return toProtoArchive(await archiveTotals('packets', symbol, toWindowEndMs === 0 ? null : toWindowEndMs));
}
