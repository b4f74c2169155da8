export { loadPolicy, type Policy } from './policy/policy';
export { parsePolicy, parsePolicyDocument } from './policy/parse-policy';
export { PolicyError, policyFileNames } from './policy/files';
export { createState, type LabelerState } from './reducer/labeler-state';
export { reduce } from './reducer/reduce';
export type { PacketResult } from './label/label-packet';
export type { Packet } from './packet/packet';
export { parseReplayCursor } from './packet/guidance';
export { FEATURE_KEYS, COMPOSITES, type FeatureKey, type CompositeName } from './names';
export { SOURCE_FAMILIES, type SourceFamily } from './read';
export { naturalLog } from './numbers/natural-log';
export { round6 } from './numbers/round';
export { restoreState, StateRestoreError, serializeState } from './reducer/state-image';
export { canonicalJson, lineageDigest, sha256Hex } from './lineage';
export {
  LineError,
  PACKET_ROW_SCHEMA,
  packetResultLine,
  packetRowLine,
  packetRowOf,
  readPacketRow,
  type PacketRow,
  CHECKPOINT_SCHEMA,
  checkpointLine,
  type CheckpointLine,
  SIGNING_KEY_SCHEMA,
  signingKeyId,
  signingKeyLine,
  signingKeyOf,
  type SigningKey,
} from './packet-row/lines';
export { checkpointOf, bundlesOfLog, type LogBundle } from './packet-row/bundles-of-log';
export { publicKeyBytesOf, signingKeyOfPem } from './ed25519/key-object';
export {
  type Move,
  type PacketChange,
  policyChanges,
  type PolicyChange,
  TotalsTally,
  type PolicyTotals,
  type Transitions,
  relabel,
} from './policy-diff';
export { beginningOf, stateAt, stateOfKeptCheckpoint, verifySymbol, type Verification } from './verify/verify-symbol';
export { indexFiles, type FileIndex, type LineFile, fileSource } from './verify/file-source';
export {
  SourceError,
  refuseEmptySpan,
  type AlteredRow,
  type Span,
  type SymbolSource,
  retainedPacketOf,
  type RetainedCheckpoint,
  type RetainedPacket,
} from './verify/symbol-source';
export { rederive, verdictOf, signatureOutcome, type Rederivation, type SignatureOutcome } from './verify/rederive';
export type { PacketDifference } from './verify/compare-packets';
