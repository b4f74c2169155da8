import { join } from 'node:path';
import type { PacketResult } from '../src/index';
import { recordingPackets } from './recording-packets';

/** Where docs/examples keeps its packets: a body a line, oldest first. */
export const EXAMPLES_FILE = join(import.meta.dirname, '../../../../docs/examples/btcusd-perp-packets.ndjson');

const FIRST = 28;
const TOTAL = 20;

/** Twenty consecutive packets of the BTCUSD-PERP recording, at its own times, around the change of day. */
export function examplePackets(): readonly PacketResult[] {
  return recordingPackets('BTCUSD-PERP').slice(FIRST, FIRST + TOTAL);
}
