import * as marketData from '@market-state/market-data';
import { packetRowLine, packetRowOf, readPacketRow } from '../../src/packet-row/packet-row';
import { readSigningKeyLine, signingKeyLine, signingKeyOf } from '../../src/packet-row/signing-key';
import { loadPolicy } from '../../src/policy/load-policy';
import { createState } from '../../src/reducer/labeler-state';
import { reduce } from '../../src/reducer/reduce';
import { restoreState } from '../../src/state/restore-state';
import { serializeState } from '../../src/state/serialize-state';
import { rederive, verdictOf } from '../../src/verify/rederive';
import { retainedPacketOf } from '../../src/verify/retained';
import { stateOfKeptCheckpoint } from '../../src/verify/beginning';

/** What both builds must do alike: everything of market data, and of the labeler what makes packets and compares them. */
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
