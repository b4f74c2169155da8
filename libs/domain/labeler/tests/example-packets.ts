import { join } from 'node:path';
import type { PacketResult } from '../src/index';
import { recordingPackets } from './recording-packets';

export const EXAMPLES_FILE = join(import.meta.dirname, '../../../../docs/examples/btcusd-perp-packets.ndjson');

const FIRST = 30;
const TOTAL = 20;

/** Twenty consecutive packets of the BTCUSD-PERP recording around midnight UTC. */
export function examplePackets(): readonly PacketResult[] {
  return recordingPackets('BTCUSD-PERP').slice(FIRST, FIRST + TOTAL);
}
