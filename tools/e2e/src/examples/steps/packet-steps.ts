import { PLAYED, RECORDED } from '../scene';
import type { Step } from '../step';
import { endOf, untilSevere } from '../moments';

const played = () => ({ symbol: PLAYED });
const MINUTE_MS = 60_000;
/** Packets can be shared 600 s after publication. */
const SHAREABLE_MS = 11 * MINUTE_MS;

/** Packets in the simulated market's liquidation cascade, and data derived from them. */
export const packetSteps: readonly Step[] = [
  {
    operation: 'getLatest',
    summary: 'Full packet of a liquidation cascade.',
    before: untilSevere,
    query: played,
    items: 1_000,
  },
  {
    operation: 'getLatest',
    variant: 'compact',
    summary: 'Compact view of the same packet.',
    query: () => ({ ...played(), view: 'compact' }),
  },
  {
    operation: 'replayPackets',
    summary: 'Compact view of the last two packets in the minute before an event.',
    query: (scene) => ({ ...played(), replay_window_seconds: 60, limit: 2, as_of: endOf(scene), view: 'compact' }),
  },
  {
    operation: 'listHistory',
    summary: 'First two packets of three minutes.',
    query: (scene) => ({ ...played(), from: endOf(scene) - 3 * MINUTE_MS, to: endOf(scene) + 1, limit: 2 }),
    after: (scene, { body }) =>
      void scene.things.set('earlier_event_id', (body['rows'] as readonly { readonly event_id: string }[])[0]?.event_id ?? ''),
  },
  {
    operation: 'searchEvents',
    summary: 'Compact view of elevated packets of one symbol.',
    query: () => ({ ...played(), severity_class: 'elevated_context', limit: 2, view: 'compact' }),
  },
  {
    operation: 'streamPackets',
    summary: 'Compact view of the next packet.',
    query: () => ({ ...played(), view: 'compact' }),
    messages: ['packet'],
  },
  { operation: 'getForcedFlowLatest', summary: 'Liquidations of long positions.', query: played },
  { operation: 'getCrowdingRegimeLatest', summary: 'Crowding read.', query: played },
  { operation: 'getQueueFragilityLatest', summary: 'Queue-fragility read.', query: played },
  { operation: 'getBuyerSummary', summary: 'Summary of the newest packet.', query: played },
  { operation: 'getFeatureQuality', summary: 'Inputs of the newest packet.', query: played, items: 1 },
  {
    operation: 'getEventEvidence',
    summary: 'Evidence and counterevidence of an event.',
    items: 1,
    // A level is a list of price and size.
    lists: { 'source_rows.rows.row.bids': 2, 'source_rows.rows.row.asks': 2 },
  },
  { operation: 'getEventBundle', summary: 'First lines, decompressed: a public key, then a checkpoint.' },
  { operation: 'verifyEvent', summary: 'A recomputed packet with the same digest.' },
  { operation: 'getPacketWorkbench', summary: 'A packet with its surrounding packets.', items: 1 },
  {
    operation: 'getPostmortem',
    summary: 'Before and after an event from a few minutes ago.',
    path: (scene) => `/api/public/market-state/postmortems/${scene.thing('earlier_event_id')}`,
    items: 1,
  },
  {
    operation: 'createPacketFeedback',
    summary: 'A rating of a packet.',
    body: (scene) => ({ event_id: scene.thing('event_id'), label: 'useful', note: 'Matched what our desk saw.' }),
  },
  {
    operation: 'createShare',
    summary: 'A packet shared for a week.',
    before: async (scene) => {
      const toMs = Date.now() - SHAREABLE_MS;
      const span = `from=${toMs - 120_000}&to=${toMs}&limit=1`;
      const { rows } = await scene.call('GET', `/api/public/market-state/history?symbol=${RECORDED}&${span}`);
      scene.things.set('old_event_id', (rows as readonly { readonly event_id: string }[])[0]?.event_id ?? '');
    },
    body: (scene) => ({ event_id: scene.thing('old_event_id'), days: 7 }),
  },
  { operation: 'getSharedPacket', summary: 'A shared packet.', as: 'anonymous', items: 1 },
  { operation: 'getShareBadge', summary: 'Badge of a share.', as: 'anonymous' },
  { operation: 'revokeShare', summary: 'A revoked share.' },
  { operation: 'listShares', summary: 'The shares of a tenant.' },
  { operation: 'getSharedPacket', summary: 'A revoked share with its proof line.', variant: 'ended', as: 'anonymous' },
  { operation: 'getLabelStability', summary: 'Label stability over the last minutes.', query: played },
];

export const usageSteps: readonly Step[] = [
  {
    operation: 'estimateUsage',
    summary: 'The cost of a replay, with a binding quote.',
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
    summary: 'The current day so far.',
    query: () => ({ from: `${new Date().toISOString().slice(0, 10)}T00:00:00Z` }),
  },
  { operation: 'getUsageReceipt', summary: 'One receipt.', query: (scene) => ({ receipt_id: scene.thing('receipt_id') }) },
  {
    operation: 'simulateTiers',
    summary: 'Plans for 2,000 `latest` calls a day and four exports a month.',
    query: () => ({ 'calls_per_day[latest_packet]': 2_000, exports_per_month: 4 }),
  },
];

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
    summary: 'A message that needs no response.',
    status: 202,
    body: () => ({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  },
  { operation: 'getProofStatus', summary: 'Proofs, checked now.' },
  { operation: 'getReleaseStatus', summary: 'The running release matches the build.' },
  { operation: 'getL4HistoryRoadmap', summary: 'Order-level history.' },
  { operation: 'getSourceQuality', summary: 'Quality of each source.', items: 1 },
  { operation: 'getAccuracy', summary: "A simulated market compared with its venue's responses.", query: played },
  { operation: 'getLatencyStatus', summary: 'Today, up to the last full minute.', query: played },
  { operation: 'getSlaStatus', summary: 'This month, so far.', query: () => ({ symbol: 'ALL' }) },
];
