import type { Step } from '../step';

/** What is kept of the document: its head and one path, without references. */
const OF_DOCUMENT = {
  '': ['openapi', 'info', 'servers', 'paths'],
  info: ['title', 'version', 'license'],
  paths: ['/livez'],
  'paths./livez.get': ['operationId', 'tags', 'summary', 'description'],
};

const document = { summary: 'The document, cut to one path.', as: 'nobody', keeps: OF_DOCUMENT } as const;

/** The service's description of itself, and probes. */
export const documentSteps: readonly Step[] = [
  { operation: 'getOpenapi', ...document },
  { operation: 'getMarketStateOpenapi', ...document },
  { operation: 'getDocsOpenapi', ...document },
  { operation: 'getSigningKeys', summary: 'The key that signs packets.', as: 'nobody' },
  { operation: 'getLivez', summary: 'The process answers.', as: 'nobody' },
  { operation: 'getReadyz', summary: 'Everything is ready.', as: 'nobody' },
];
