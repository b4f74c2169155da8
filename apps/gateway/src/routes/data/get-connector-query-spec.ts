import { type MarketDataClient, type ServedSymbol, servedSymbol } from '../../clients/market-data-client';
import { Problem } from '../../serving/errors/problem';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc, parseInstant } from '../../serving/meta/instant';
import type { QueryWishes } from './queries/channel-query';
import { CONNECTOR_IDS, connectorOf, type ConnectorQuery } from './queries/connectors';
import { API_KEY_HEADER_NAME, API_KEY_VARIABLE } from '../../serving/answers/curl-command';
import { WINDOW_MS_MAX, windowOf } from '../../streams/replay-window';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Call, Handler } from '../../serving/answers/handler';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';
import type { Described } from '../../serving/openapi/described';

function utcOrNull(instantMs: number | null): string | null {
  return instantMs === null ? null : toUtc(instantMs);
}

function readWishes({ input: { query } }: Call<'getConnectorQuerySpec'>, feedClockMs: number): QueryWishes {
  const fromMs = parseInstant(query.from);
  const toMs = parseInstant(query.to);
  const endMs = fromMs === null || toMs === null ? toMs : Math.min(toMs, fromMs + WINDOW_MS_MAX);
  const window = fromMs === null && toMs === null ? null : windowOf(fromMs, endMs, feedClockMs, ['from', 'to']);
  return { symbol: query.symbol, depth: query.depth, limit: query.limit, tf: query.tf, fromMs, toMs, window };
}

function toSpec({ query, url, prepare, language, snippet, output }: ConnectorQuery, symbol: ServedSymbol): Described<'ChannelQuerySpec'> {
  return {
    channel: query.channel,
    reported: symbol.reports(query.channel === 'candles' ? 'trades' : query.channel),
    method: 'GET',
    url,
    headers: { [API_KEY_HEADER_NAME]: `$${API_KEY_VARIABLE}` },
    parameters: query.parameters,
    prepare,
    language,
    snippet,
    output,
    covers_start_utc: utcOrNull(query.startMs),
    covers_end_utc: utcOrNull(query.endMs),
    remark: query.remark,
  };
}

export function getConnectorQuerySpec(
  client: MarketDataClient,
  baseUrl: () => string,
  now: () => number,
): Handler<'getConnectorQuerySpec'> {
  return async (call) => {
    const connector = connectorOf(call.input.path.connector_id);
    if (connector === undefined)
      throw new Problem('not_found', `Unknown connector. Available: ${CONNECTOR_IDS.join(', ')}.`, {
        members: { connectors_served: CONNECTOR_IDS },
      });
    const symbol = await servedSymbol(client, call.input.query.symbol);
    const freshness = await client.call.getFreshness({ symbol: symbol.symbol });
    const wishes = readWishes(call, freshness.feedClockMs);
    const source = {
      symbol: symbol.symbol,
      venue: symbol.venue,
      asOfMs: now(),
      kinds: [symbol.kind],
      state: symbolFreshness(freshness.channels),
      stored: true,
    };
    const { depth, limit, tf, fromMs, toMs } = wishes;
    return jsonRepresentation(
      dataAnswer(call, source, {
        connector_id: connector.id,
        base_url: baseUrl(),
        api_key_variable: API_KEY_VARIABLE,
        requires: connector.requires,
        parameters: { symbol: symbol.symbol, depth, limit, tf, from_utc: utcOrNull(fromMs), to_utc: utcOrNull(toMs) },
        specs: connector.queries(wishes, baseUrl()).map((query) => toSpec(query, symbol)),
      }),
    );
  };
}
