export { killProof } from './kills/kill-proof';
export { labelerProof } from './labeler/labeler-proof';
export type { Proof, ProofContext, ProofResult } from './proof';
