import type { WorkloadFamily } from '@market-state/pricing';

/** What the units of a call are, and so what its upper bound and its observed cost are counted by. */
export type Counted =
  /** Nothing: the family's base is the price. */
  | { readonly by: 'call' }
  /** Nothing, and it costs nothing: the call has a receipt only. */
  | { readonly by: 'nothing' }
  /** Rows, at most the value of this query parameter. */
  | { readonly by: 'parameter'; readonly parameter: 'limit' | 'depth' }
  /** Rows, at most those of a page. */
  | { readonly by: 'page'; readonly rowsMax: number }
  /** Candles, at most those between `from` and `to`, and those of a page. */
  | { readonly by: 'candles'; readonly rowsMax: number }
  /** Symbols returned. */
  | { readonly by: 'symbols' }
  /** Messages sent, a credit for every hundred that was begun. */
  | { readonly by: 'messages' }
  /** Rows of an export, by the manifest of what is stored. */
  | { readonly by: 'export_rows' };

/** How an operation is priced. */
export interface Metering {
  readonly family: WorkloadFamily;
  readonly counted: Counted;
}

const PAGE_ROWS_MAX = 1_000;
const REPLAY_ROWS_MAX = 5_000;
/** A stability report speaks of at most so many states and transitions. */
const STABILITY_ROWS_MAX = 100;

const call = (family: WorkloadFamily): Metering => ({ family, counted: { by: 'call' } });
const free = (family: WorkloadFamily): Metering => ({ family, counted: { by: 'nothing' } });
const upTo = (family: WorkloadFamily, parameter: 'limit' | 'depth'): Metering => ({ family, counted: { by: 'parameter', parameter } });
const messages = (family: WorkloadFamily): Metering => ({ family, counted: { by: 'messages' } });

const AUTOMATION_OPERATIONS = [
  'createPacketFeedback',
  'listWatchlists',
  'createWatchlist',
  'getWatchlist',
  'updateWatchlist',
  'deleteWatchlist',
  'rehearseWatchlist',
  'listSavedSearches',
  'createSavedSearch',
  'getSavedSearch',
  'updateSavedSearch',
  'deleteSavedSearch',
  'listAlerts',
  'createAlert',
  'getAlert',
  'updateAlert',
  'deleteAlert',
  'listWebhooks',
  'createWebhook',
  'getWebhook',
  'updateWebhook',
  'deleteWebhook',
  'listWebhookDeliveries',
  'listWebhookEvents',
] as const;

/** Family and count of each metered operation, by operation id. */
export const PRICE_MAP: ReadonlyMap<string, Metering> = new Map<string, Metering>([
  ['getLatest', { family: 'latest_packet', counted: { by: 'symbols' } }],
  ['replayPackets', upTo('packet_replay', 'limit')],
  ['listHistory', upTo('packet_history', 'limit')],
  ['searchEvents', upTo('packet_history', 'limit')],
  ['getLabelStability', { family: 'packet_history', counted: { by: 'page', rowsMax: STABILITY_ROWS_MAX } }],
  ['getEventEvidence', call('event_evidence')],
  ['verifyEvent', call('event_evidence')],
  ['getPostmortem', call('event_evidence')],
  ['getPacketWorkbench', call('workbench')],
  ['getForcedFlowLatest', call('derived_read')],
  ['getCrowdingRegimeLatest', call('derived_read')],
  ['getQueueFragilityLatest', call('derived_read')],
  ['getBuyerSummary', call('derived_read')],
  ['getFeatureQuality', call('derived_read')],
  ['getPacketConstruction', call('derived_read')],
  ['getProofBrowser', call('derived_read')],
  ['listUsage', free('derived_read')],
  ['estimateUsage', free('derived_read')],
  ['getUsageReceipt', free('derived_read')],
  ['simulateTiers', free('derived_read')],
  ['getProofStatus', free('derived_read')],
  ['getReleaseStatus', free('derived_read')],
  ['getL4HistoryRoadmap', free('derived_read')],
  ['getSourceQuality', free('derived_read')],
  ['getBookL2Latest', upTo('market_data_latest', 'depth')],
  ['listLatestTrades', upTo('market_data_latest', 'limit')],
  ['listGaps', upTo('market_data_latest', 'limit')],
  ['getLiquidationsContext', call('market_data_latest')],
  ['getActiveAssetContext', call('market_data_latest')],
  ['getCatalog', free('market_data_latest')],
  ['getDataManifest', free('market_data_latest')],
  ['getStreamManifest', free('market_data_latest')],
  ['getDataHealth', free('market_data_latest')],
  ['getDataFreshness', free('market_data_latest')],
  ['getDataRights', free('market_data_latest')],
  ['listCandles', { family: 'market_data_candles', counted: { by: 'candles', rowsMax: PAGE_ROWS_MAX } }],
  ['getReplayWindow', { family: 'market_data_replay_window', counted: { by: 'page', rowsMax: REPLAY_ROWS_MAX } }],
  ['streamData', messages('market_data_replay_window')],
  ['streamDataReplay', messages('market_data_replay_window')],
  ['streamPackets', messages('packet_replay')],
  ['getConnectorQuerySpec', call('connector_spec')],
  ['getEventJoinSpec', call('connector_spec')],
  ['getPacketJoinRecipe', call('connector_spec')],
  ['createExportJob', { family: 'export_job', counted: { by: 'export_rows' } }],
  ['listExportJobs', free('export_job')],
  ['getExportJob', free('export_job')],
  ['cancelExportJob', free('export_job')],
  ['getExportJobResult', free('export_job')],
  ['getExportJobReviewPack', free('export_job')],
  ...AUTOMATION_OPERATIONS.map((operationId): [string, Metering] => [operationId, call('workflow_automation')]),
]);
