export { loadPolicy } from './policy/load-policy';
export type { Policy } from './policy/policy';
export { parsePolicy, parsePolicyDocument } from './policy/parse-policy';
export { PolicyError } from './policy/fault';
export { policyFileNames } from './policy/files';
export { createState } from './reducer/labeler-state';
export type { LabelerState } from './reducer/labeler-state';
export { reduce } from './reducer/reduce';
export type { PacketResult } from './label/chain-packet';
export type { Packet } from './packet/packet';
export { parseReplayCursor } from './packet/routing';
export { FEATURE_KEYS } from './feature-keys';
export { COMPOSITES, SOURCE_FAMILIES } from './read';
export type { FeatureKey } from './feature-keys';
export type { CompositeName, SourceFamily } from './read';
export { naturalLog } from './numbers/natural-log';
export { round6 } from './numbers/round';
export { restoreState, StateRestoreError } from './state/restore-state';
export { serializeState } from './state/serialize-state';
export { canonicalJson, lineageDigest, sha256Hex } from './lineage';
export { LineError } from './packet-row/line-fields';
export { PACKET_ROW_SCHEMA, packetResultLine, packetRowLine, packetRowOf, readPacketRow } from './packet-row/packet-row';
export type { PacketRow } from './packet-row/packet-row';
export { CHECKPOINT_SCHEMA, checkpointLine } from './packet-row/checkpoint-line';
export type { CheckpointLine } from './packet-row/checkpoint-line';
export { checkpointOf } from './packet-row/checkpoint';
export { publicKeyBytesOf, signingKeyOfPem } from './packet-row/key-object';
export {
  SIGNING_KEY_SCHEMA,
  signingKeyId,
  signingKeyLine,
  signingKeyOf,
} from './packet-row/signing-key';
export type { SigningKey } from './packet-row/signing-key';
export type { Move, PacketChange } from './policy-diff/packet-change';
export { policyChanges, type PolicyChange, TotalsTally, type PolicyTotals, type Transitions } from './policy-diff/totals';
export { relabel } from './policy-diff/relabel';
export { bundlesOfLog } from './recompute/bundles-of-log';
export type { LogBundle } from './recompute/bundles-of-log';
export { beginningOf, stateAt, stateOfKeptCheckpoint } from './verify/beginning';
export { indexFiles } from './verify/file-index';
export type { FileIndex, LineFile } from './verify/file-index';
export { fileSource } from './verify/file-source';
export { SourceError, refuseEmptySpan } from './verify/symbol-source';
export type { AlteredRow, Span, SymbolSource } from './verify/symbol-source';
export { verifySymbol } from './verify/verify-symbol';
export type { Verification } from './verify/verify-symbol';
export { rederive, verdictOf, signatureOutcome } from './verify/rederive';
export type { Rederivation, SignatureOutcome } from './verify/rederive';
export { retainedPacketOf } from './verify/retained';
export type { RetainedCheckpoint, RetainedPacket } from './verify/retained';
export type { PacketDifference } from './verify/packet-tally';
