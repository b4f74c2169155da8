import type { marketData } from '@market-state/contracts';
import { decodeEvent, rowLine } from '@market-state/market-data';
import type { StoredRow } from '../store/window-reader';
import { toPublicChannel } from './public-channels';

/** A row as it is streamed and replayed. @throws EventDecodeError when its payload is no event */
export function toDataRow(row: StoredRow): marketData.DataRow {
  return {
    channel: toPublicChannel(row.channel),
    sequence: row.ordinal,
    epoch: row.epoch,
    exchangeTsMs: row.exchangeTsMs,
    receivedTsMs: row.receivedTsMs,
    flags: row.flags,
    line: Buffer.from(rowLine(decodeEvent(row.payload))),
    packetDigest: '',
    packetWindowEndMs: 0,
  };
}
