import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { instantFaults, rangeFaults } from '@market-state/request-checks';

const EPOCH_MAX = 0xffff_ffff;

/** Faults of a place in the log; none where it is absent. */
export function positionFaults(after: marketData.LogPosition | undefined): Fault[] {
  if (after === undefined) return [];
  return [
    ...rangeFaults('after.epoch', after.epoch, 0, EPOCH_MAX),
    ...rangeFaults('after.ordinal', after.ordinal, 0, Number.MAX_SAFE_INTEGER),
    ...instantFaults('after.packet_window_end_ms', after.packetWindowEndMs),
  ];
}
