import { servedSymbol } from '../../clients/market-data-client';
import { fromProtoSourceKind } from '../../clients/source-kind';
import type { Upstreams } from '../../clients/upstreams';
import { jsonRepresentation } from '../../serving/http/representation';
import { channelJoins, fetchWindow, toPublicJoin } from './joins/channel-joins';
import { packetOfSymbol } from './joins/event-packet';
import { eventStatement } from './joins/event-statement';
import { toPublicFetch } from './joins/join-fetch';
import { joinWindow, type PacketWindow, replayBounds, windowOfPacket } from './joins/packet-window';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';
import type { Described } from '../../serving/openapi/described';
import type { ChannelName } from '../../clients/channel-name';

const REPLAY = '/api/public/data/replay/window';

function fileOf(channel: string): string {
  return `market_state_${channel}.json`;
}

export function getEventJoinSpec({ marketData, packets }: Upstreams, baseUrl: () => string): Handler<'getEventJoinSpec'> {
  return async ({ operation, grant, input }) => {
    const packet = await packetOfSymbol({ marketData, packets }, input.path.event_id, input.query.symbol);
    const [symbol, freshness] = await Promise.all([
      servedSymbol(marketData, packet.symbol),
      marketData.call.getFreshness({ symbol: packet.symbol }),
    ]);
    const window = windowOfPacket(packet);
    const joins = channelJoins(symbol, freshness);
    const reported = joins.filter((join) => join.reported);
    const toRoute = (channel: ChannelName, span: PacketWindow): Described<'JoinRoute'> => ({
      channel,
      ...toPublicFetch(
        { path: REPLAY, parameters: { symbol: packet.symbol, ...replayBounds(span), channels: channel }, output: fileOf(channel) },
        baseUrl(),
      ),
    });
    const fetches = [toRoute('packets', window), ...reported.map((join) => toRoute(join.channel, fetchWindow(join, window)))];
    const source = {
      symbol: packet.symbol,
      venue: symbol.venue,
      asOfMs: packet.windowEndMs,
      kinds: [fromProtoSourceKind(packet.sourceKind)],
      state: symbolFreshness(freshness.channels),
      stored: true,
    };
    return jsonRepresentation(
      dataAnswer({ operation, grant }, source, {
        event_id: packet.eventId,
        packet_id: packet.packetId,
        packet_digest: packet.packetDigest,
        sequence: packet.closingOrdinal === 0 ? null : packet.closingOrdinal,
        window: joinWindow(window),
        joins: joins.map(toPublicJoin),
        routes: fetches,
        sql: { dialect: 'duckdb' as const, reads: fetches.map(({ output }) => output), statement: eventStatement(reported, fileOf) },
      }),
    );
  };
}
