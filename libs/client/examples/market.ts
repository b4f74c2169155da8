import type { MarketState, OperationId } from '../src';
import type { Example, Given } from './example';

/** Packets can be shared once they are 600 s old. */
const SHAREABLE_MS = 660_000;

/** Creates a share and revokes it afterwards. */
async function withShare<T>(ms: MarketState, { symbol }: Given, work: (shareId: string) => Promise<T>): Promise<T> {
  const toMs = Date.now() - SHAREABLE_MS;
  const span = { from: new Date(toMs - 120_000).toISOString(), to: new Date(toMs).toISOString() };
  const [row] = await ms.history.rows({ symbol, ...span, limit: 1 }).take(1);
  if (row === undefined) throw new Error('no packet is old enough to share');
  const { data } = await ms.shares.create({ event_id: row.event_id, days: 7 });
  const result = await work(data.share_id);
  await ms.shares.revoke({ share_id: data.share_id });
  return result;
}

/** Packets, derived data and source rows. */
export const marketExamples = {
  getLatest: async (ms, { symbol }) => {
    const { data, call } = await ms.latest.get({ symbol, view: 'compact' });
    return [data, `${call.charged} credits, ${call.remaining} left`];
  },
  replayPackets: (ms, { symbol }) => ms.replay.rows({ symbol, limit: 25, replay_window_seconds: 600 }).take(30),
  listHistory: async (ms, { symbol, from, to }) => {
    const states: string[] = [];
    for await (const row of ms.history.rows({ symbol, from, to, limit: 50 })) states.push(row.state);
    return states;
  },
  searchEvents: (ms) => ms.events.searchRows({ symbol: 'ALL', limit: 20 }).take(20),
  streamPackets: async (ms, { symbol }) => {
    for await (const message of ms.stream.packets({ symbols: symbol })) if (message.type === 'packet') return message.id;
    return undefined;
  },
  getEventEvidence: (ms, { eventId }) => ms.events.evidence({ event_id: eventId }),
  verifyEvent: (ms, { eventId }) => ms.events.verify({ event_id: eventId }),
  getEventBundle: async (ms, { eventId }) => {
    const { response, call } = await ms.events.bundle({ event_id: eventId });
    // Gzip of NDJSON: save it to a file for `market-state verify`, or pass the bytes to `checkBundle` of the labeler.
    return { bytes: new Uint8Array(await response.arrayBuffer()), charged: call.charged };
  },
  getPostmortem: (ms, { eventId }) => ms.events.postmortem({ event_id: eventId }),
  getPacketWorkbench: (ms, { eventId }) => ms.packets.workbench({ event_id: eventId }),
  createShare: (ms, given) => withShare(ms, given, (id) => Promise.resolve(id)),
  listShares: (ms) => ms.shares.rows().take(10),
  revokeShare: (ms, given) => withShare(ms, given, () => Promise.resolve()),
  getSharedPacket: (ms, given) => withShare(ms, given, async (id) => (await ms.demo.sharedPacket({ share_id: id })).data.packet),
  getShareBadge: (ms, given) => withShare(ms, given, (id) => ms.demo.shareBadge({ share_id: id })),
  createPacketFeedback: (ms, { eventId }) => ms.packets.feedback({ event_id: eventId, label: 'useful' }),
  getForcedFlowLatest: (ms, { symbol }) => ms.reads.forcedFlow({ symbol }),
  getCrowdingRegimeLatest: (ms, { symbol }) => ms.reads.crowdingRegime({ symbol }),
  getQueueFragilityLatest: (ms, { symbol }) => ms.reads.queueFragility({ symbol }),
  getBuyerSummary: (ms, { symbol }) => ms.reads.buyerSummary({ symbol }),
  getFeatureQuality: (ms, { symbol }) => ms.reads.featureQuality({ symbol }),
  getLabelStability: (ms, { symbol, from, to }) => ms.labels.stability({ symbol, from, to }),
  listBalanceHistory: async (ms) => (await ms.usage.balance({ step: 'hour' })).data.rows,
  listUsage: async (ms) => (await ms.usage.get({ limit: 10 })).data.receipts,
  estimateUsage: async (ms, { symbol }) => {
    const quote = await ms.quote('replayPackets', { symbol, limit: 100 });
    const { call } = await quote.run();
    return [quote.maxCredits, call.charged];
  },
  getUsageReceipt: async (ms, { symbol }) => {
    const { call } = await ms.latest.get({ symbol });
    return ms.usage.receipt({ request_id: call.requestId });
  },
  simulateTiers: (ms) => ms.usage.simulate({ calls_per_day: { latest_packet: 8_640 }, exports_per_month: 4 }),
  getProofStatus: (ms) => ms.status.proof(),
  getReleaseStatus: (ms) => ms.status.release(),
  getL4HistoryRoadmap: (ms) => ms.status.l4HistoryRoadmap(),
  getSourceQuality: (ms) => ms.status.sourceQuality(),
  getAccuracy: (ms, { symbol }) => ms.status.accuracy({ symbol }),
  listIncidents: (ms, { symbol }) => ms.status.incidentsRows({ symbol, kind: 'gap' }).all({ maxRows: 100 }),
  getLatencyStatus: (ms, { symbol }) => ms.status.latency({ symbol }),
  getSlaStatus: (ms) => ms.status.sla({ symbol: 'ALL' }),
  getBookL2Latest: (ms, { symbol }) => ms.book.latest({ symbol, depth: 25 }),
  listLatestTrades: (ms, { symbol }) => ms.trades.latest({ symbol, limit: 50 }),
  listCandles: (ms, { symbol, from, to }) => ms.candles.rows({ symbol, tf: '1m', from, to }).all({ maxRows: 1_000 }),
  getActiveAssetContext: (ms, { symbol }) => ms.context.activeAsset({ symbol }),
  getLiquidationsContext: (ms, { symbol }) => ms.liquidations.context({ symbol, window_seconds: 600 }),
  getReplayWindow: (ms, { symbol, from, to }) => ms.replayWindow.rows({ symbol, start: from, end: to, channels: 'trades' }).take(100),
  listGaps: (ms, { symbol }) => ms.gaps.rows({ symbol }).take(10),
  getCatalog: (ms) => ms.catalog.get(),
  getConnectorQuerySpec: (ms, { symbol }) => ms.connectors.querySpec({ connector_id: 'duckdb', symbol }),
  getEventJoinSpec: (ms, { symbol, eventId }) => ms.events.joinSpec({ event_id: eventId, symbol }),
  getPacketJoinRecipe: (ms, { symbol, eventId }) => ms.packets.joinRecipe({ symbol, event_id: eventId }),
  getDataHealth: (ms) => ms.data.health(),
  getDataManifest: (ms) => ms.data.manifest(),
  getDataCondition: (ms, { symbol }) => ms.data.condition({ symbol, channel: 'trades' }),
  getDataFreshness: (ms, { symbol }) => ms.data.freshness({ symbol }),
  getDataRights: (ms) => ms.data.rights(),
  getStreamManifest: (ms) => ms.stream.manifest(),
  streamData: async (ms, { symbol }) => {
    for await (const message of ms.stream.data({ symbols: symbol, channels: ['book', 'trades'] }))
      if (message.type === 'row') return message;
    return undefined;
  },
  streamDataReplay: async (ms, { symbol, from, to }) => {
    let rows = 0;
    for await (const message of ms.stream.replay({ symbols: symbol, start: from, end: to, channels: ['trades'], speed: 'max' })) {
      if (message.type === 'row') rows += 1;
      if (message.type === 'receipt' && message.data.rows_expected !== rows) throw new Error('rows are missing');
    }
    return rows;
  },
} satisfies Partial<Record<OperationId, Example>>;
