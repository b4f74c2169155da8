import { servedSymbol, fromProtoSourceKind } from '../../clients/market-data-client';
import { newestPacket } from '../../clients/packet-client';
import type { Upstreams } from '../../clients/upstreams';
import { jsonRepresentation } from '../../serving/http/representation';
import { channelJoins, toPublicFetch, joinWindow, windowOfPacket, packetOfSymbol } from './channel-joins';
import { recipeStatement, CANDLE_FILE, CONTEXT_FILE, type RecipeStep, recipeSteps, WINDOW_FILE } from './recipe-steps';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';
import type { Described } from '../../serving/openapi/described';

function toStep(baseUrl: string) {
  return (step: RecipeStep, index: number): Described<'RecipeStep'> => ({
    step: index + 1,
    step_id: step.stepId,
    purpose: step.purpose,
    ...toPublicFetch(step, baseUrl),
    ...step.credits,
  });
}

export function getPacketJoinRecipe({ marketData, packets }: Upstreams, baseUrl: () => string): Handler<'getPacketJoinRecipe'> {
  return async ({ operation, grant, input: { query } }) => {
    const eventId = query.event_id;
    if (eventId === '') await servedSymbol(marketData, query.symbol);
    const packet =
      eventId === '' ? await newestPacket(packets, query.symbol, 0) : await packetOfSymbol({ marketData, packets }, eventId, query.symbol);
    const [symbol, freshness] = await Promise.all([
      servedSymbol(marketData, packet.symbol),
      marketData.call.getFreshness({ symbol: packet.symbol }),
    ]);
    const joins = channelJoins(symbol, freshness).filter((join) => join.reported);
    const wishes = {
      symbol: packet.symbol,
      window: windowOfPacket(packet),
      joins,
      includeTrades: query['include_trades'] === true,
      includeCandles: query['include_candles'] === true,
      depth: query.depth,
      limit: query.limit,
    };
    const steps = recipeSteps(wishes);
    const fetched = new Set(steps.map(({ output }) => output));
    const rowFiles = [WINDOW_FILE, CONTEXT_FILE].filter((file) => fetched.has(file));
    const candleFile = fetched.has(CANDLE_FILE) ? CANDLE_FILE : null;
    const toleranceMs = Object.fromEntries(
      joins.filter(({ channel }) => channel === 'context').map((join) => [join.channel, join.toleranceMs]),
    );
    const statement = recipeStatement({
      packetDigest: packet.packetDigest,
      depth: wishes.depth,
      limit: wishes.limit,
      rowFiles,
      candleFile,
      toleranceMs,
    });
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
        window: joinWindow(wishes.window),
        include_trades: wishes.includeTrades,
        include_candles: wishes.includeCandles,
        depth: wishes.depth,
        limit: wishes.limit,
        steps: steps.map(toStep(baseUrl())),
        sql: { dialect: 'duckdb' as const, reads: [...rowFiles, ...(candleFile === null ? [] : [candleFile])], statement },
        estimated_market_state_credit_cost: steps.reduce((sum, { credits }) => sum + credits.estimated_market_state_credit_cost, 0),
      }),
    );
  };
}
