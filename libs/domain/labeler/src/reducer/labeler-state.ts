import { ZERO_DIGEST, type HexDigest } from '../lineage/digests';
import { createMemory, type PacketMemory } from '../label/memory';
import type { Policy } from '../policy/policy';
import { createEntryWindows, type EntryWindows } from '../windows/entry-windows';
import { createLogState, type LogState } from './log-state';

/** The end of a symbol's packet chain. */
export interface Chain {
  lineageDigest: HexDigest;
  packetId: string | null;
}

/**
 * Everything that future packets of one symbol depend on besides future log entries. Made by `createState` or `restoreState`, changed by
 * `reduce` alone. `log.ordinal` and `log.epoch` are the position of the last entry applied (0 before the first).
 */
export interface LabelerState {
  readonly symbol: string;
  readonly policy: Policy;
  readonly log: LogState;
  readonly windows: EntryWindows;
  readonly memory: PacketMemory;
  readonly chain: Chain;
}

/** The state before the first entry of the symbol's log. */
export function createState(symbol: string, policy: Policy): LabelerState {
  const { numbers } = policy;
  return {
    symbol,
    policy,
    log: createLogState(numbers),
    windows: createEntryWindows(numbers),
    memory: createMemory(numbers),
    chain: { lineageDigest: ZERO_DIGEST, packetId: null },
  };
}
