import { endOf, untilGap } from '../moments';
import { PLAYED, type Scene, RECORDED } from '../scene';
import type { Step } from '../step';

const JOBS = '/api/public/data/export/jobs';

interface ListedFile {
  readonly name: string;
  readonly kind: string;
  readonly download_route: string;
}

const fileRoute = (scene: Scene) => scene.thing('download_route');

export const exportSteps: readonly Step[] = [
  {
    operation: 'createExportJob',
    summary: 'An export of three minutes of trades as CSV.',
    body: (scene) => ({
      dataset: 'trades',
      symbols: [PLAYED],
      from: new Date(endOf(scene) - 3 * MINUTE_MS).toISOString(),
      to: scene.thing('window_end_utc'),
      format: 'csv',
      compression: 'none',
    }),
  },
  { operation: 'getExportJob', summary: 'A finished job.', until: ({ status }) => status === 'ready' },
  {
    operation: 'getExportJobResult',
    summary: 'Files with digests and download routes.',
    after: (scene, { body }) => {
      const files = body['files'] as readonly ListedFile[];
      scene.things.set('download_route', files.find(({ kind }) => kind === 'data')?.download_route ?? '');
    },
  },
  { operation: 'getExportFile', summary: 'Start of a CSV file.', path: fileRoute },
  {
    operation: 'getExportFile',
    status: 206,
    summary: 'The first 200 bytes of a CSV file.',
    path: fileRoute,
    headers: () => ({ range: 'bytes=0-199' }),
  },
  { operation: 'getExportJobReviewPack', summary: 'Review pack of an export.', items: 1 },
  { operation: 'listExportJobs', summary: 'The newest two jobs.', query: () => ({ limit: 2 }) },
  {
    operation: 'cancelExportJob',
    summary: 'A job cancelled before it started.',
    async before(scene) {
      const { job_id: jobId } = await scene.call('POST', JOBS, { dataset: 'book', symbols: [RECORDED], format: 'csv', depth: 25 });
      scene.things.set('job_id', String(jobId));
    },
  },
];

const WINDOW_MS = 10_000;
const MINUTE_MS = 60_000;

const played = () => ({ symbol: PLAYED });

/** Liquidations in the stored packet's window. */
const itsWindow = (scene: Scene) => ({
  ...played(),
  channels: 'liquidations',
  start: endOf(scene) - WINDOW_MS,
  end: endOf(scene),
});

export const dataSteps: readonly Step[] = [
  { operation: 'getBookL2Latest', summary: 'Two levels per side.', query: () => ({ ...played(), depth: 2 }) },
  { operation: 'listLatestTrades', summary: 'The newest two trades.', query: () => ({ ...played(), limit: 2 }) },
  {
    operation: 'listCandles',
    summary: 'Two one-minute candles.',
    query: (scene) => {
      const from = Math.floor(endOf(scene) / MINUTE_MS - 2) * MINUTE_MS;
      return { ...played(), tf: '1m', from, to: from + 2 * MINUTE_MS };
    },
  },
  { operation: 'getActiveAssetContext', summary: 'Funding, open interest, mark and oracle price.', query: played },
  { operation: 'getLiquidationsContext', summary: 'Liquidations in five minutes.', query: () => ({ ...played(), window_seconds: 300 }) },
  {
    operation: 'getReplayWindow',
    summary: 'All liquidations in the window of a packet.',
    query: itsWindow,
    until: ({ completeness }) => (completeness as { readonly status: string }).status === 'complete',
    items: 1_000,
  },
  {
    operation: 'streamData',
    summary: 'The first rows.',
    query: () => ({ ...played(), channels: 'trades,context' }),
    messages: ['row', 'row'],
  },
  {
    operation: 'streamDataReplay',
    summary: 'All liquidations in the window of a packet.',
    query: (scene) => ({ ...itsWindow(scene), speed: 'max' }),
    messages: ['end'],
  },
  { operation: 'getDataCondition', summary: "Condition of today's trades.", query: () => ({ ...played(), channel: 'trades' }), items: 11 },
  { operation: 'getDataFreshness', summary: 'Freshness of each channel of a symbol.', query: played },
  { operation: 'getCatalog', summary: 'Stored data of one symbol.', items: 1 },
  { operation: 'getDataHealth', summary: 'All components healthy.', items: 3 },
  { operation: 'getDataRights', summary: 'Data rights.' },
  { operation: 'getDataManifest', summary: 'Routes, schemas and limits of the data plane.', items: 1 },
  { operation: 'getStreamManifest', summary: 'Messages and limits of the streams.', items: 1 },
  {
    operation: 'getConnectorQuerySpec',
    summary: 'Queries for DuckDB.',
    before: async (scene) => scene.things.set('connector_id', 'duckdb'),
    query: played,
    items: 1,
  },
  {
    operation: 'getPacketJoinRecipe',
    summary: 'Recipe for joining a packet with its rows.',
    query: (scene) => ({ ...played(), event_id: scene.thing('event_id') }),
    items: 1,
  },
  { operation: 'getEventJoinSpec', summary: 'Joins of one event.', query: played, items: 1 },
];

/** Gaps: the simulated venue disconnects at 9:40 of its script. */
export const gapSteps: readonly Step[] = [
  { operation: 'listGaps', summary: 'Two gaps, oldest first.', before: untilGap, query: () => ({ ...played(), limit: 2 }) },
  { operation: 'listIncidents', summary: 'A silent feed.', query: () => ({ ...played(), limit: 2 }) },
];
