import { PLAYED, RECORDED } from '../scene';
import type { Step } from '../step';

const stranger = { as: 'nobody' } as const;
const played = () => ({ symbol: PLAYED });
const recorded = () => ({ symbol: RECORDED });

/** Previews, and what is published without a key. */
export const demoSteps: readonly Step[] = [
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
