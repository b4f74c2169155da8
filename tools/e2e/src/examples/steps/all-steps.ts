import type { Step } from '../step';
import { billingSteps, keySteps, lastAccountSteps, sessionSteps } from './account-steps';
import { automationSteps, deletionSteps, deliverySteps, watchingSteps } from './automation-steps';
import { dataSteps, gapSteps, exportSteps } from './data-steps';
import { packetSteps, statusSteps, usageSteps } from './packet-steps';
import { PLAYED, RECORDED } from '../scene';

/** Part of the document to show: its head and one path, without references. */
const OF_DOCUMENT = {
  '': ['openapi', 'info', 'servers', 'paths'],
  info: ['title', 'version', 'license'],
  paths: ['/livez'],
  'paths./livez.get': ['operationId', 'tags', 'summary', 'description'],
};

const document = { summary: 'The document, reduced to one path.', as: 'anonymous', keeps: OF_DOCUMENT } as const;

const documentSteps: readonly Step[] = [
  { operation: 'getOpenapi', ...document },
  { operation: 'getMarketStateOpenapi', ...document },
  { operation: 'getDocsOpenapi', ...document },
  { operation: 'getSigningKeys', summary: 'The key that signs packets.', as: 'anonymous' },
  { operation: 'getLivez', summary: 'The process is running.', as: 'anonymous' },
  { operation: 'getReadyz', summary: 'All dependencies are ready.', as: 'anonymous' },
];

const stranger = { as: 'anonymous' } as const;
const played = () => ({ symbol: PLAYED });
const recorded = () => ({ symbol: RECORDED });

const demoSteps: readonly Step[] = [
  { operation: 'getPublicPacketConstruction', summary: 'Construction of a packet 600 s old.', ...stranger, query: recorded, items: 1 },
  { operation: 'getPublicProofBrowser', summary: 'Verifiable facts about packets 600 s old.', ...stranger, query: recorded, items: 1 },
  { operation: 'getPacketConstruction', summary: 'Construction of the newest packet.', query: played, items: 1 },
  { operation: 'getProofBrowser', summary: 'Verifiable facts about packets 600 s old.', query: recorded, items: 1 },
  { operation: 'getDemoProof', summary: 'Proofs and the times they were checked.', ...stranger },
  {
    operation: 'getLabelingPolicy',
    summary: 'The current policy, reduced to its numbers.',
    ...stranger,
    keeps: { files: ['numbers', 'versions'] },
  },
  { operation: 'getComputeLanes', summary: 'Compute lanes with latency budgets.', ...stranger },
  {
    operation: 'getStateTaxonomy',
    summary: 'States, event classes and their meanings.',
    ...stranger,
    keeps: { taxonomy: ['states', 'event_classes'] },
  },
  { operation: 'listPrices', summary: 'Prices of operations and plans.', ...stranger },
  { operation: 'getDemoBuild', summary: 'Parts of this build.', ...stranger },
  { operation: 'getDemoRelease', summary: 'The running release matches the build.', ...stranger },
  { operation: 'getDemoSourceQuality', summary: 'Quality of each source.', ...stranger, items: 1 },
];

/** All calls in order, as determined by the simulated market's script. */
export const steps: readonly Step[] = [
  ...documentSteps,
  ...sessionSteps,
  ...keySteps,
  ...billingSteps,
  ...watchingSteps,
  ...packetSteps,
  ...dataSteps,
  ...exportSteps,
  ...demoSteps,
  ...statusSteps,
  ...automationSteps,
  ...deliverySteps,
  ...deletionSteps,
  ...usageSteps,
  ...gapSteps,
  ...lastAccountSteps,
];
