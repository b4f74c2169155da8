export { killProof } from './kills/kill-proof';
export type { Proof, ProofContext, ProofResult } from './proof';
