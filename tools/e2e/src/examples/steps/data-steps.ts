import { endOf, untilGap } from '../moments';
import { PLAYED, type Scene } from '../scene';
import type { Step } from '../step';

const WINDOW_MS = 10_000;
const MINUTE_MS = 60_000;

const played = () => ({ symbol: PLAYED });

/** The forced closes in the window of the remembered packet. */
const itsWindow = (scene: Scene) => ({
  ...played(),
  channels: 'liquidations',
  start: endOf(scene) - WINDOW_MS,
  end: endOf(scene),
});

/** Rows, what is known of them, and how to read them. */
export const dataSteps: readonly Step[] = [
  { operation: 'getBookL2Latest', summary: 'Two levels a side.', query: () => ({ ...played(), depth: 2 }) },
  { operation: 'listLatestTrades', summary: 'The newest two trades.', query: () => ({ ...played(), limit: 2 }) },
  {
    operation: 'listCandles',
    summary: 'Two candles of a minute.',
    query: (scene) => {
      const from = Math.floor(endOf(scene) / MINUTE_MS - 2) * MINUTE_MS;
      return { ...played(), tf: '1m', from, to: from + 2 * MINUTE_MS };
    },
  },
  { operation: 'getActiveAssetContext', summary: 'Funding, open interest, mark and oracle.', query: played },
  { operation: 'getLiquidationsContext', summary: 'Forced closes of five minutes.', query: () => ({ ...played(), window_seconds: 300 }) },
  {
    operation: 'getReplayWindow',
    summary: 'The forced closes in the window of a packet, all of them.',
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
    summary: 'The forced closes in the window of a packet, all of them.',
    query: (scene) => ({ ...itsWindow(scene), speed: 'max' }),
    messages: ['end'],
  },
  { operation: 'getDataCondition', summary: 'Trades of today.', query: () => ({ ...played(), channel: 'trades' }), items: 11 },
  { operation: 'getDataFreshness', summary: 'How fresh each channel of a symbol is.', query: played },
  { operation: 'getCatalog', summary: 'What is kept of one symbol.', items: 1 },
  { operation: 'getDataHealth', summary: 'Every part works.', items: 3 },
  { operation: 'getDataRights', summary: 'What the data may be used for.' },
  { operation: 'getDataManifest', summary: 'What the data routes take and give.', items: 1 },
  { operation: 'getStreamManifest', summary: 'Messages and limits of streams.', items: 1 },
  {
    operation: 'getConnectorQuerySpec',
    summary: 'Queries for DuckDB that run as they are.',
    before: async (scene) => scene.things.set('connector_id', 'duckdb'),
    query: played,
    items: 1,
  },
  {
    operation: 'getPacketJoinRecipe',
    summary: 'How a packet joins with its rows.',
    query: (scene) => ({ ...played(), event_id: scene.thing('event_id') }),
    items: 1,
  },
  { operation: 'getEventJoinSpec', summary: 'The joins of one event.', query: played, items: 1 },
];

/** Gaps: the simulated venue loses its connection at 9:40 of its script. */
export const gapSteps: readonly Step[] = [
  { operation: 'listGaps', summary: 'Two gaps, the oldest first.', before: untilGap, query: () => ({ ...played(), limit: 2 }) },
  { operation: 'listIncidents', summary: 'What came of them.', query: () => ({ ...played(), limit: 2 }) },
];
