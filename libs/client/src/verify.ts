export { type ChainBreak, type ChainCheck, checkChain } from './verify/check-chain';
export { checkPacket, type PacketCheck, type PacketRow, type PublicKey, type PublicKeys } from './verify/check-packet';
export { canonicalJson } from './verify/canonical-json';
