export { type ChainBreak, type ChainCheck, checkChain } from './verify/check-chain';
export {
  checkPacket,
  checkSignature,
  type PacketCheck,
  type PacketRow,
  type PublicKey,
  type PublicKeys,
  type Signed,
} from './verify/check-packet';
export { canonicalJson } from './verify/canonical-json';
