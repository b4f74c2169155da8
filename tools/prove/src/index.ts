export { archiveProof } from './archive/archive-proof';
export { binanceProof } from './binance/binance-proof';
export { creditProof } from './credits/credit-proof';
export { creditModelProof } from './credits/model-proof';
export { hyperliquidProof } from './hyperliquid/hyperliquid-proof';
export { killProof } from './kills/kill-proof';
export { labelerProof } from './labeler/labeler-proof';
export { referenceProof } from './reference/reference-proof';
export type { Proof, ProofContext, ProofResult } from './proof';
