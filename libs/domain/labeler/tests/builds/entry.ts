import * as marketData from '@market-state/market-data';
import { packetRowLine, packetRowOf, readPacketRow, readSigningKeyLine, signingKeyLine, signingKeyOf } from '../../src/packet-row/lines';
import { loadPolicy } from '../../src/policy/policy';
import { createState } from '../../src/reducer/labeler-state';
import { reduce } from '../../src/reducer/reduce';
import { restoreState, serializeState } from '../../src/reducer/state-image';
import { rederive, verdictOf } from '../../src/verify/rederive';
import { retainedPacketOf } from '../../src/verify/symbol-source';
import { stateOfKeptCheckpoint } from '../../src/verify/verify-symbol';

/**
 * Exports that both builds must compute identically: market data, and the labeler parts that make and compare packets.
 */
export const build = {
  ...marketData,
  createState,
  loadPolicy,
  packetRowLine,
  packetRowOf,
  readPacketRow,
  readSigningKeyLine,
  rederive,
  reduce,
  restoreState,
  retainedPacketOf,
  serializeState,
  signingKeyLine,
  signingKeyOf,
  stateOfKeptCheckpoint,
  verdictOf,
};
