export { compareLab, openLab, relabelLab, editedPolicy } from './lab/open-lab';
export type { LabComparison, Lab, LabPacket } from './lab/open-lab';
export { policyChanges } from './policy-diff/policy-changes';
export type { PolicyChange } from './policy-diff/policy-changes';
export type { PacketChange } from './policy-diff/packet-change';
export type { PolicyTotals } from './policy-diff/totals';
export type { NumberEdits, NumberFault } from './policy/number-fields';
export { bundleLines } from './recompute/bundle-lines';
export { SourceError } from './verify/symbol-source';
