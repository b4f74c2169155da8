import type { Step } from '../step';
import { billingSteps, keySteps, lastAccountSteps, sessionSteps } from './account-steps';
import { automationSteps, deletionSteps, deliverySteps, watchingSteps } from './automation-steps';
import { dataSteps, gapSteps, exportSteps } from './data-steps';
import { packetSteps, statusSteps, usageSteps } from './packet-steps';
import { PLAYED, RECORDED } from '../scene';

/** What is kept of the document: its head and one path, without references. */
const OF_DOCUMENT = {
  '': ['openapi', 'info', 'servers', 'paths'],
  info: ['title', 'version', 'license'],
  paths: ['/livez'],
  'paths./livez.get': ['operationId', 'tags', 'summary', 'description'],
};

const document = { summary: 'The document, cut to one path.', as: 'nobody', keeps: OF_DOCUMENT } as const;

/** The service's description of itself, and probes. */
const documentSteps: readonly Step[] = [
  { operation: 'getOpenapi', ...document },
  { operation: 'getMarketStateOpenapi', ...document },
  { operation: 'getDocsOpenapi', ...document },
  { operation: 'getSigningKeys', summary: 'The key that signs packets.', as: 'nobody' },
  { operation: 'getLivez', summary: 'The process answers.', as: 'nobody' },
  { operation: 'getReadyz', summary: 'Everything is ready.', as: 'nobody' },
];

const stranger = { as: 'nobody' } as const;
const played = () => ({ symbol: PLAYED });
const recorded = () => ({ symbol: RECORDED });

/** Previews, and what is published without a key. */
const demoSteps: readonly Step[] = [
  { operation: 'getPublicPacketConstruction', summary: 'How a packet 600 s old was made.', ...stranger, query: recorded, items: 1 },
  { operation: 'getPublicProofBrowser', summary: 'What can be checked of packets 600 s old.', ...stranger, query: recorded, items: 1 },
  { operation: 'getPacketConstruction', summary: 'How the newest packet was made.', query: played, items: 1 },
  { operation: 'getProofBrowser', summary: 'What can be checked of packets 600 s old.', query: recorded, items: 1 },
  { operation: 'getDemoProof', summary: 'What is proved, and when it was checked.', ...stranger },
  {
    operation: 'getLabelingPolicy',
    summary: 'The policy of this version, cut to its numbers.',
    ...stranger,
    keeps: { files: ['numbers', 'versions'] },
  },
  { operation: 'getComputeLanes', summary: 'What runs and how busy it is.', ...stranger },
  {
    operation: 'getStateTaxonomy',
    summary: 'States, event classes and their meaning.',
    ...stranger,
    keeps: { taxonomy: ['states', 'event_classes'] },
  },
  { operation: 'listPrices', summary: 'Prices of operations, and plans.', ...stranger },
  { operation: 'getDemoBuild', summary: 'How this build was made.', ...stranger },
  { operation: 'getDemoRelease', summary: 'What runs is what was built.', ...stranger },
  { operation: 'getDemoSourceQuality', summary: 'How good each source is.', ...stranger, items: 1 },
];

/** All calls in the order in which they are made: the script of the simulated market decides when. */
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
