import { type LinkWish, type LiveLink, liveLinks } from '../../../serving/answers/live-links';

/** Routes that previews name, by what a reader does there. */
export interface LinkSubject {
  readonly symbol: string;
  readonly eventId: string;
}

/** Who may open a route, as previews list it. */
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

/** Those that are opened by following them. */
export function routePaths(links: readonly LiveLink[]): string[] {
  return links.filter(({ method }) => method === 'GET').map(({ route }) => route);
}

/** Every route that previews name about a symbol and one of its events. */
const WISHES = {
  construction: ({ symbol }) => ({
    operationId: 'getPublicPacketConstruction',
    query: { symbol },
    purpose: 'How a packet is made, on a delayed sample',
  }),
  browser: ({ symbol }) => ({
    operationId: 'getPublicProofBrowser',
    query: { symbol },
    purpose: 'What can be checked, on delayed packets',
  }),
  sandboxKey: () => ({ operationId: 'createSandboxKey', purpose: 'A test key without sign-up, for data at least 600 s old' }),
  policy: () => ({ operationId: 'getLabelingPolicy', purpose: 'The rules that every label follows' }),
  taxonomy: () => ({ operationId: 'getStateTaxonomy', purpose: 'What each state, class and tag means' }),
  lanes: () => ({ operationId: 'getComputeLanes', purpose: 'Which parts of a packet are computed when' }),
  document: () => ({ operationId: 'getOpenapi', purpose: 'The whole interface' }),
  latest: ({ symbol }) => ({ operationId: 'getLatest', query: { symbol }, purpose: 'The newest packet, whole' }),
  packetStream: ({ symbol }) => ({ operationId: 'streamPackets', query: { symbol }, purpose: 'Each new packet as it is made' }),
  evidence: ({ eventId }) => ({
    operationId: 'getEventEvidence',
    path: { event_id: eventId },
    purpose: 'What the packet of this event rests on',
  }),
  workbench: ({ eventId }) => ({
    operationId: 'getPacketWorkbench',
    path: { event_id: eventId },
    purpose: 'The packet of this event among its neighbours',
  }),
  postmortem: ({ eventId }) => ({
    operationId: 'getPostmortem',
    path: { event_id: eventId },
    purpose: 'Before, during and after this event',
  }),
  verify: ({ eventId }) => ({
    operationId: 'verifyEvent',
    path: { event_id: eventId },
    purpose: 'The packet of this event made again from stored rows and compared',
  }),
  joinSpec: ({ eventId }) => ({
    operationId: 'getEventJoinSpec',
    path: { event_id: eventId },
    purpose: 'How the packet of this event joins its rows',
  }),
  replay: ({ symbol }) => ({
    operationId: 'replayPackets',
    query: { symbol, replay_window_seconds: 3_600 },
    purpose: 'Stored packets of an hour, with their chain checked',
  }),
  rows: ({ symbol }) => ({ operationId: 'getReplayWindow', query: { symbol }, purpose: 'Stored rows of a window, with a receipt' }),
  history: ({ symbol }) => ({ operationId: 'listHistory', query: { symbol }, purpose: 'States over time' }),
  catalog: () => ({ operationId: 'getCatalog', purpose: 'What is kept of every symbol and channel' }),
  freshness: ({ symbol }) => ({ operationId: 'getDataFreshness', query: { symbol }, purpose: 'How fresh each channel is' }),
  gaps: ({ symbol }) => ({ operationId: 'listGaps', query: { symbol }, purpose: 'What is missing, and why' }),
  featureQuality: ({ symbol }) => ({
    operationId: 'getFeatureQuality',
    query: { symbol },
    purpose: 'Which features can be read now, and why others cannot',
  }),
  feedback: ({ eventId }) => ({
    operationId: 'createPacketFeedback',
    body: { event_id: eventId, label: 'useful' },
    purpose: 'Say whether the label was useful',
  }),
  estimate: ({ symbol }) => ({
    operationId: 'estimateUsage',
    query: { route: '/api/public/market-state/latest', symbol },
    purpose: 'What a call would cost, as a quote that binds',
  }),
  usage: () => ({ operationId: 'listUsage', purpose: 'What was charged, with a receipt for each call' }),
  tiers: () => ({ operationId: 'simulateTiers', purpose: 'What a workload costs on each tier' }),
  keyed: ({ symbol }) => ({ operationId: 'getProofBrowser', query: { symbol }, purpose: 'The same page, not delayed' }),
  keyedConstruction: ({ symbol }) => ({ operationId: 'getPacketConstruction', query: { symbol }, purpose: 'The same steps, not delayed' }),
} as const satisfies Record<string, (subject: LinkSubject) => Omit<LinkWish, 'rel'>>;

export type LinkName = keyof typeof WISHES;

/** The named routes that are served, about a subject. */
export function previewLinks(subject: LinkSubject, names: readonly LinkName[]): LiveLink[] {
  return liveLinks(names.map((name) => ({ rel: name, ...WISHES[name](subject) })));
}
