import { servedSymbol, type ChannelName } from '../../clients/market-data-client';
import type { ReadDeps } from '../../clients/upstreams';
import { jsonRepresentation } from '../../serving/http/representation';
import {
  channelJoins,
  fetchWindow,
  toPublicJoin,
  toPublicFetch,
  joinSource,
  joinWindow,
  type PacketWindow,
  replayBounds,
  windowOfPacket,
  packetOfSymbol,
  type ChannelJoin,
} from './channel-joins';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import type { Described } from '../../serving/openapi/document';
import { itemsOf } from './queries/tables';

const DECIMAL = 'DECIMAL(38, 18)';
const PLACE = `CAST(item ->> '$.sequence' AS BIGINT) AS sequence, CAST(item ->> '$.exchange_time_utc' AS TIMESTAMP) AS exchange_time`;

function table(name: string, file: string, columns: readonly string[]): string {
  return [`${name} AS (`, `  SELECT ${[PLACE, ...columns].join(',\n    ')}`, `  FROM (${itemsOf(file, 'rows')})`, ')'].join('\n');
}

function decimal(path: string, name: string): string {
  return `CAST(item ->> '$.${path}' AS ${DECIMAL}) AS ${name}`;
}

const COLUMNS: Readonly<Record<ChannelJoin['channel'], readonly string[]>> = {
  book: [decimal('row.bids[0][0]', 'best_bid'), decimal('row.asks[0][0]', 'best_ask')],
  trades: [decimal('row.size', 'size'), `item ->> '$.row.aggressor_side' AS aggressor_side`],
  context: ['funding_rate', 'open_interest', 'mark_price', 'oracle_price'].map((name) => decimal(`row.${name}`, name)),
  liquidations: [decimal('row.size', 'size'), `item ->> '$.row.position_side' AS position_side`],
};

const NEWEST_COLUMNS: Readonly<Record<'book' | 'context', readonly string[]>> = {
  book: ['best_bid', 'best_ask'],
  context: ['funding_rate', 'open_interest', 'mark_price', 'oracle_price'],
};
const SIDES: Readonly<Record<'trades' | 'liquidations', { readonly column: string; readonly values: readonly [string, string] }>> = {
  trades: { column: 'aggressor_side', values: ['buy', 'sell'] },
  liquidations: { column: 'position_side', values: ['long', 'short'] },
};

function joinOf({ channel, toleranceMs }: ChannelJoin): { readonly columns: readonly string[]; readonly join: string } {
  const within = (oldest: string) =>
    `r.sequence <= packets.sequence AND r.exchange_time <= packets.exchange_time AND r.exchange_time > ${oldest}`;
  if (channel === 'book' || channel === 'context') {
    const oldest = `packets.exchange_time - INTERVAL ${toleranceMs} MILLISECONDS`;
    const newest = `SELECT * FROM ${channel} AS r WHERE ${within(oldest)} ORDER BY r.exchange_time DESC, r.sequence DESC LIMIT 1`;
    const columns = NEWEST_COLUMNS[channel].map((name) => `newest_${channel}.${name}`);
    return {
      columns: [`newest_${channel}.sequence AS ${channel}_sequence`, `newest_${channel}.exchange_time AS ${channel}_time`, ...columns],
      join: `LEFT JOIN LATERAL (${newest}) AS newest_${channel} ON TRUE`,
    };
  }
  const { column, values } = SIDES[channel];
  const sums = values.map((side) => `coalesce(sum(r.size) FILTER (r.${column} = '${side}'), 0) AS ${side}_size`);
  const windowed = `SELECT count(*) AS row_total, ${sums.join(', ')} FROM ${channel} AS r
    WHERE ${within('packets.exchange_time - INTERVAL 10 SECONDS')}`;
  const columns = [
    `all_${channel}.row_total AS ${channel}_total`,
    ...values.map((side) => `all_${channel}.${side}_size AS ${channel}_${side}_size`),
  ];
  return { columns, join: `LEFT JOIN LATERAL (${windowed}) AS all_${channel} ON TRUE` };
}

/**
 * The newest book and context at the window's end, and the window's summed trades and liquidations. `fileOf` maps a
 * channel, or `packets`, to its file.
 */
function eventStatement(joins: readonly ChannelJoin[], fileOf: (channel: string) => string): string {
  const packets = table('packets', fileOf('packets'), [
    `item ->> '$.packet.event_id' AS event_id`,
    `item ->> '$.packet_digest' AS packet_digest`,
    `item ->> '$.packet.state' AS state`,
  ]);
  const tables = [packets, ...joins.map(({ channel }) => table(channel, fileOf(channel), COLUMNS[channel]))];
  const parts = joins.map(joinOf);
  const columns = ['packets.event_id', 'packets.exchange_time AS window_end', 'packets.state', ...parts.flatMap((part) => part.columns)];
  return [
    `WITH ${tables.join(', ')}`,
    `SELECT ${columns.join(',\n  ')}`,
    'FROM packets',
    ...parts.map(({ join }) => join),
    'ORDER BY window_end;',
  ].join('\n');
}

const REPLAY = '/api/public/data/replay/window';

function fileOf(channel: string): string {
  return `market_state_${channel}.json`;
}

export function getEventJoinSpec({ marketData, packets, baseUrl }: ReadDeps): Handler<'getEventJoinSpec'> {
  return async ({ operation, grant, input }) => {
    const packet = await packetOfSymbol({ marketData, packets }, input.path.event_id, input.query.symbol);
    const [symbol, freshness] = await Promise.all([
      servedSymbol(marketData, packet.symbol),
      marketData.call.getFreshness({ symbol: packet.symbol }),
    ]);
    const window = windowOfPacket(packet);
    const joins = channelJoins(symbol, freshness);
    const reportedJoins = joins.filter((join) => join.reported);
    const toRoute = (channel: ChannelName, span: PacketWindow): Described<'JoinRoute'> => ({
      channel,
      ...toPublicFetch(
        { path: REPLAY, parameters: { symbol: packet.symbol, ...replayBounds(span), channels: channel }, output: fileOf(channel) },
        baseUrl(),
      ),
    });
    const fetches = [toRoute('packets', window), ...reportedJoins.map((join) => toRoute(join.channel, fetchWindow(join, window)))];
    const source = joinSource(packet, symbol, freshness);
    return jsonRepresentation(
      dataAnswer({ operation, grant }, source, {
        event_id: packet.eventId,
        packet_id: packet.packetId,
        packet_digest: packet.packetDigest,
        sequence: packet.closingOrdinal === 0 ? null : packet.closingOrdinal,
        window: joinWindow(window),
        joins: joins.map(toPublicJoin),
        routes: fetches,
        sql: { dialect: 'duckdb' as const, reads: fetches.map(({ output }) => output), statement: eventStatement(reportedJoins, fileOf) },
      }),
    );
  };
}
