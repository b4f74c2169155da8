import type { labeling } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import type { ReadArchiveTotals } from '../archive/archive-totals';
import { assertServed, symbolFaults } from './symbol';

export interface GetPacketArchiveDeps {
  readonly archiveTotals: ReadArchiveTotals;
  readonly symbols: readonly string[];
}

export function createGetPacketArchive({ archiveTotals, symbols }: GetPacketArchiveDeps) {
  return async function getPacketArchive({
    symbol,
    toWindowEndMs,
  }: labeling.GetPacketArchiveRequest): Promise<labeling.GetPacketArchiveResponse> {
    const bound = toWindowEndMs < 0 ? [{ field: 'to_window_end_ms', message: 'must not be negative', type: 'out_of_range' }] : [];
    const faults = [...symbolFaults('symbol', symbol), ...bound];
    if (faults.length > 0) throw invalidArgument(faults);
    assertServed([symbol], symbols);
    const { hourTotal, rowTotal, byteTotal, hotFromMs } = await archiveTotals(
      'packets',
      symbol,
      toWindowEndMs === 0 ? null : toWindowEndMs,
    );
    return { hourTotal, packetTotal: rowTotal, byteTotal, hotFromWindowEndMs: hotFromMs };
  };
}
