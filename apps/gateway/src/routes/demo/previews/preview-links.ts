import { type LinkWish, type LiveLink, liveLinks } from '../../../serving/answers/live-links';

export interface LinkSubject {
  readonly symbol: string;
  readonly eventId: string;
}

export function routeAccess(links: readonly LiveLink[]) {
  return links.map(({ route, method, access, requires_api_key, metered, purpose }) => ({
    route,
    method,
    access,
    requires_api_key,
    metered,
    purpose,
  }));
}

/** Routes that a plain GET opens. */
export function routePaths(links: readonly LiveLink[]): string[] {
  return links.filter(({ method }) => method === 'GET').map(({ route }) => route);
}

/** Link targets about a symbol and one of its events. */
const WISHES = {
  construction: ({ symbol }) => ({
    operationId: 'getPublicPacketConstruction',
    query: { symbol },
    purpose: 'How a packet is made, shown on a delayed sample',
  }),
  browser: ({ symbol }) => ({
    operationId: 'getPublicProofBrowser',
    query: { symbol },
    purpose: 'Available checks, shown on delayed packets',
  }),
  sandboxKey: () => ({ operationId: 'createSandboxKey', purpose: 'A test key without sign-up, for data delayed by 600 s' }),
  policy: () => ({ operationId: 'getLabelingPolicy', purpose: 'The rules behind every label' }),
  taxonomy: () => ({ operationId: 'getStateTaxonomy', purpose: 'Meaning of each state, class and tag' }),
  lanes: () => ({ operationId: 'getComputeLanes', purpose: 'When each part of a packet is computed' }),
  document: () => ({ operationId: 'getOpenapi', purpose: 'The complete API description' }),
  latest: ({ symbol }) => ({ operationId: 'getLatest', query: { symbol }, purpose: 'The newest packet in full' }),
  packetStream: ({ symbol }) => ({ operationId: 'streamPackets', query: { symbol }, purpose: 'Each new packet as it is made' }),
  evidence: ({ eventId }) => ({
    operationId: 'getEventEvidence',
    path: { event_id: eventId },
    purpose: 'Evidence for the packet of this event',
  }),
  workbench: ({ eventId }) => ({
    operationId: 'getPacketWorkbench',
    path: { event_id: eventId },
    purpose: 'The packet of this event and the packets around it',
  }),
  postmortem: ({ eventId }) => ({
    operationId: 'getPostmortem',
    path: { event_id: eventId },
    purpose: 'Before, during and after this event',
  }),
  verify: ({ eventId }) => ({
    operationId: 'verifyEvent',
    path: { event_id: eventId },
    purpose: 'The packet of this event, recomputed from stored rows and compared',
  }),
  joinSpec: ({ eventId }) => ({
    operationId: 'getEventJoinSpec',
    path: { event_id: eventId },
    purpose: 'How the packet of this event joins its rows',
  }),
  replay: ({ symbol }) => ({
    operationId: 'replayPackets',
    query: { symbol, replay_window_seconds: 3_600 },
    purpose: 'Stored packets of one hour, with their chain verified',
  }),
  rows: ({ symbol }) => ({ operationId: 'getReplayWindow', query: { symbol }, purpose: 'Stored rows of a window, with a receipt' }),
  history: ({ symbol }) => ({ operationId: 'listHistory', query: { symbol }, purpose: 'States over time' }),
  catalog: () => ({ operationId: 'getCatalog', purpose: 'Retained data by symbol and channel' }),
  freshness: ({ symbol }) => ({ operationId: 'getDataFreshness', query: { symbol }, purpose: 'Freshness of each channel' }),
  gaps: ({ symbol }) => ({ operationId: 'listGaps', query: { symbol }, purpose: 'Missing data, and the reasons' }),
  featureQuality: ({ symbol }) => ({
    operationId: 'getFeatureQuality',
    query: { symbol },
    purpose: 'Which features are available, and why others are not',
  }),
  feedback: ({ eventId }) => ({
    operationId: 'createPacketFeedback',
    body: { event_id: eventId, label: 'useful' },
    purpose: 'Rate the usefulness of the label',
  }),
  estimate: ({ symbol }) => ({
    operationId: 'estimateUsage',
    query: { route: '/api/public/market-state/latest', symbol },
    purpose: 'The price of a call, as a binding quote',
  }),
  usage: () => ({ operationId: 'listUsage', purpose: 'Charges, with a receipt for each call' }),
  tiers: () => ({ operationId: 'simulateTiers', purpose: 'Cost of a workload on each tier' }),
  keyed: ({ symbol }) => ({ operationId: 'getProofBrowser', query: { symbol }, purpose: 'The same page without delay' }),
  keyedConstruction: ({ symbol }) => ({ operationId: 'getPacketConstruction', query: { symbol }, purpose: 'The same steps without delay' }),
} as const satisfies Record<string, (subject: LinkSubject) => Omit<LinkWish, 'rel'>>;

export type LinkName = keyof typeof WISHES;

/** Resolves the named links, limited to routes that are served. */
export function previewLinks(subject: LinkSubject, names: readonly LinkName[]): LiveLink[] {
  return liveLinks(names.map((name) => ({ rel: name, ...WISHES[name](subject) })));
}
