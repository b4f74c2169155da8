import { PLAYED, RECORDED } from '../scene';
import type { Step } from '../step';
import { endOf, untilSevere } from '../moments';

const played = () => ({ symbol: PLAYED });
const MINUTE_MS = 60_000;
/** Packets can be shared when they have been known for 600 s. */
const SHAREABLE_MS = 11 * MINUTE_MS;

/** Packets in the liquidation cascade of the simulated market, and what is derived from them. */
export const packetSteps: readonly Step[] = [
  {
    operation: 'getLatest',
    summary: 'The packet of a liquidation cascade, whole.',
    before: untilSevere,
    query: played,
    items: 1_000,
  },
  { operation: 'getLatest', variant: 'compact', summary: 'The same in short.', query: () => ({ ...played(), view: 'compact' }) },
  {
    operation: 'replayPackets',
    summary: 'The last two packets of the minute before an event, in short.',
    query: (scene) => ({ ...played(), replay_window_seconds: 60, limit: 2, as_of: endOf(scene), view: 'compact' }),
  },
  {
    operation: 'listHistory',
    summary: 'The first two packets of three minutes.',
    query: (scene) => ({ ...played(), from: endOf(scene) - 3 * MINUTE_MS, to: endOf(scene) + 1, limit: 2 }),
    after: (scene, { body }) =>
      void scene.things.set('earlier_event_id', (body['rows'] as readonly { readonly event_id: string }[])[0]?.event_id ?? ''),
  },
  {
    operation: 'searchEvents',
    summary: 'Critical packets of one symbol, in short.',
    query: () => ({ ...played(), severity_class: 'critical_context', limit: 2, view: 'compact' }),
  },
  {
    operation: 'streamPackets',
    summary: 'The next packet, in short.',
    query: () => ({ ...played(), view: 'compact' }),
    messages: ['packet'],
  },
  { operation: 'getForcedFlowLatest', summary: 'Forced closes of long positions.', query: played },
  { operation: 'getCrowdingRegimeLatest', summary: 'Crowding of positions.', query: played },
  { operation: 'getQueueFragilityLatest', summary: 'How fragile the book is.', query: played },
  { operation: 'getBuyerSummary', summary: 'The newest packet for a newcomer.', query: played },
  { operation: 'getFeatureQuality', summary: 'Where each number of the packet comes from.', query: played, items: 1 },
  { operation: 'getEventEvidence', summary: 'What speaks for an event and what against it.', items: 1 },
  { operation: 'getEventBundle', summary: 'The beginning of the lines, unpacked: a public key, then a checkpoint.' },
  { operation: 'verifyEvent', summary: 'A packet made again, with the same digest.' },
  { operation: 'getPacketWorkbench', summary: 'A packet with its neighbours.', items: 1 },
  {
    operation: 'getPostmortem',
    summary: 'What came before and after an event of some minutes ago.',
    path: (scene) => `/api/public/market-state/postmortems/${scene.thing('earlier_event_id')}`,
    items: 1,
  },
  {
    operation: 'createPacketFeedback',
    summary: 'A judgement on a packet.',
    body: (scene) => ({ event_id: scene.thing('event_id'), label: 'useful', note: 'Matched what our desk saw.' }),
  },
  {
    operation: 'createShare',
    summary: 'A packet, shared for a week.',
    before: async (scene) => {
      const toMs = Date.now() - SHAREABLE_MS;
      const span = `from=${toMs - 120_000}&to=${toMs}&limit=1`;
      const { rows } = await scene.call('GET', `/api/public/market-state/history?symbol=${RECORDED}&${span}`);
      scene.things.set('old_event_id', (rows as readonly { readonly event_id: string }[])[0]?.event_id ?? '');
    },
    body: (scene) => ({ event_id: scene.thing('old_event_id'), days: 7 }),
  },
  { operation: 'getSharedPacket', summary: 'A packet that somebody shared.', as: 'nobody', items: 1 },
  { operation: 'getShareBadge', summary: 'The badge of a share.', as: 'nobody' },
  { operation: 'revokeShare', summary: 'A share, revoked.' },
  { operation: 'listShares', summary: 'The shares of a tenant.' },
  { operation: 'getSharedPacket', summary: 'The same when it was revoked: what proves it.', variant: 'ended', as: 'nobody' },
  { operation: 'getLabelStability', summary: 'How steady the labels of the last minutes are.', query: played },
];

/** What was charged, and what would be. */
export const usageSteps: readonly Step[] = [
  {
    operation: 'estimateUsage',
    summary: 'What a replay would cost, as a quote that binds.',
    query: () => ({ ...played(), route: '/api/public/market-state/replay' }),
  },
  {
    operation: 'listUsage',
    summary: 'The newest two receipts.',
    query: () => ({ limit: 2 }),
    after: (scene, { body }) =>
      void scene.things.set('receipt_id', (body['receipts'] as readonly { readonly receipt_id: string }[])[0]?.receipt_id ?? ''),
  },
  {
    operation: 'listBalanceHistory',
    summary: 'The last day so far.',
    query: () => ({ from: `${new Date().toISOString().slice(0, 10)}T00:00:00Z` }),
  },
  { operation: 'getUsageReceipt', summary: 'One receipt.', query: (scene) => ({ receipt_id: scene.thing('receipt_id') }) },
  {
    operation: 'simulateTiers',
    summary: 'Plans for 2,000 calls of `latest` a day and four exports a month.',
    query: () => ({ 'calls_per_day[latest_packet]': 2_000, exports_per_month: 4 }),
  },
];

/** The state of the service. */
export const statusSteps: readonly Step[] = [
  {
    operation: 'sendMcpMessage',
    summary: 'The tool `overview`, called for one symbol.',
    body: () => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'overview', arguments: { symbols: [PLAYED] } },
    }),
    characters: 2_000,
  },
  {
    operation: 'sendMcpMessage',
    summary: 'A message that wants no answer.',
    status: 202,
    body: () => ({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  },
  { operation: 'getProofStatus', summary: 'Proofs, checked now.' },
  { operation: 'getReleaseStatus', summary: 'What runs is what was built.' },
  { operation: 'getL4HistoryRoadmap', summary: 'What is known of single orders.' },
  { operation: 'getSourceQuality', summary: 'How good each source is.', items: 1 },
  { operation: 'getAccuracy', summary: 'A simulated market held against what its venue answers.', query: played },
  { operation: 'getLatencyStatus', summary: 'Today, up to the last whole minute.', query: played },
  { operation: 'getSlaStatus', summary: 'This month, so far.', query: () => ({ symbol: 'ALL' }) },
];
