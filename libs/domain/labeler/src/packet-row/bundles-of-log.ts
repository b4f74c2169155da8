import { gzipSync } from 'node:zlib';
import { toBase64, type MarketEvent, rowLine } from '@market-state/market-data';
import { sha256Hex } from '../lineage';
import { type LabelerState, createState } from '../reducer/labeler-state';
import { serializeState } from '../reducer/state-image';
import {
  CHECKPOINT_SCHEMA,
  type CheckpointLine,
  checkpointLine,
  type PacketRow,
  packetRowLine,
  packetRowOf,
  type RowSignature,
  type SigningKey,
  signingKeyLine,
} from './lines';
import type { Policy } from '../policy/policy';
import { reduce } from '../reducer/reduce';

export function checkpointOf(state: LabelerState, windowEndMs: number): CheckpointLine {
  const bytes = serializeState(state);
  return {
    schema: CHECKPOINT_SCHEMA,
    symbol: state.symbol,
    window_end_ms: windowEndMs,
    epoch: state.log.epoch,
    ordinal: state.log.ordinal,
    lineage_digest: state.chain.lineageDigest,
    policy_digest: state.policy.digest,
    state_digest: sha256Hex(bytes),
    state: toBase64(gzipSync(bytes)),
  };
}

interface BundleOptions {
  readonly symbol: string;
  readonly policy: Policy;
  /** Packets per bundle; slightly more if one tick closes several windows. */
  readonly packetTotal: number;
  readonly key: SigningKey;
  /** Signs the 32 bytes of a digest (Ed25519, base64) with that key. */
  readonly sign: (packetDigest: string) => string;
}

/** Lines as `market-state dump` writes them. */
export interface LogBundle {
  readonly lines: readonly string[];
  readonly checkpoint: CheckpointLine | null;
  readonly entries: readonly MarketEvent[];
  readonly packets: readonly PacketRow[];
}

/** Labels a log and yields it in consecutive bundles, each starting at the previous one's final checkpoint. */
export function* bundlesOfLog(log: Iterable<MarketEvent>, options: BundleOptions): Generator<LogBundle> {
  const { symbol, policy, packetTotal, key, sign } = options;
  const state = createState(symbol, policy);
  let checkpoint: CheckpointLine | null = null;
  let entries: MarketEvent[] = [];
  let packets: PacketRow[] = [];
  const signed = (digest: string): RowSignature => ({ signature: sign(digest), signingKeyId: key.keyId });
  for (const event of log) {
    entries.push(event);
    for (const made of reduce(state, event)) packets.push(packetRowOf(made, signed(made.packetDigest)));
    const last = packets.at(-1);
    if (last === undefined || packets.length < packetTotal) continue;
    yield { lines: linesOf(key, checkpoint, entries, packets), checkpoint, entries, packets };
    checkpoint = checkpointOf(state, last.window_end_ms);
    entries = [];
    packets = [];
  }
}

function linesOf(
  key: SigningKey,
  checkpoint: CheckpointLine | null,
  entries: readonly MarketEvent[],
  packets: readonly PacketRow[],
): readonly string[] {
  const start = checkpoint === null ? [] : [checkpointLine(checkpoint)];
  return [signingKeyLine(key), ...start, ...entries.map(rowLine), ...packets.map(packetRowLine)];
}
