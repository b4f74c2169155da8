import type { OperationId } from '../src';
import type { Example } from './example';

/** Operations that need no key, and their counterparts with a key. */
export const openExamples = {
  getPublicPacketConstruction: (ms) => ms.demo.publicPacketConstruction(),
  getPublicProofBrowser: (ms) => ms.demo.publicProofBrowser(),
  getPacketConstruction: (ms) => ms.demo.packetConstruction(),
  getProofBrowser: (ms) => ms.demo.proofBrowser(),
  getDemoProof: (ms) => ms.demo.proof(),
  getLabelingPolicy: (ms) => ms.demo.labelingPolicy(),
  getComputeLanes: (ms) => ms.demo.computeLanes(),
  getStateTaxonomy: (ms) => ms.demo.stateTaxonomy(),
  listPrices: async (ms) => (await ms.demo.prices()).data.operations,
  getDemoBuild: (ms) => ms.demo.build(),
  getDemoRelease: (ms) => ms.demo.release(),
  getDemoSourceQuality: (ms) => ms.demo.sourceQuality(),
  getSigningKeys: async (ms) => (await ms.signingKeys.get()).data.keys,
} satisfies Partial<Record<OperationId, Example>>;
