import { type ServedSymbol, servedSymbol } from '../../clients/market-data-client';
import { API_KEY_HEADER_NAME, API_KEY_VARIABLE, curlCommand, curlStream, curlToFile } from '../../serving/answers/curl-command';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Call, Handler } from '../../serving/answers/handler';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';
import { Problem } from '../../serving/errors/problem';
import { jsonRepresentation } from '../../serving/http/representation';
import { parseInstant, toUtc } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';
import { WINDOW_MS_MAX, windowOf } from '../../streams/replay';
import {
  type ChannelQuery,
  channelQuery,
  cutRemark,
  QUERY_CHANNELS,
  type QueryChannel,
  queryPath,
  type QueryWishes,
} from './queries/channel-query';
import { duckdbTable, pythonRows } from './queries/tables';
import type { ReadDeps } from '../../clients/upstreams';

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

export function getConnectorQuerySpec({ marketData: client, baseUrl, now }: ReadDeps): Handler<'getConnectorQuerySpec'> {
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

/** Preparation, snippet, and the file that it writes. */
interface Snippet {
  readonly prepare: string | null;
  readonly language: Described<'ChannelQuerySpec'>['language'];
  readonly snippet: string;
  readonly output: string | null;
}

interface ConnectorQuery extends Snippet {
  readonly query: ChannelQuery;
  readonly url: string;
}

interface Connector {
  /** Required programs. */
  readonly requires: readonly string[];
  readonly channels: readonly QueryChannel[];
  query(wishes: QueryWishes, channel: QueryChannel): ChannelQuery;
  snippet(query: ChannelQuery, url: string): Snippet;
}

function fileOf({ channel, parameters }: ChannelQuery, ending: string): string {
  return `market_state_${channel}_${String(parameters['symbol'])
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')}.${ending}`;
}

/** A live stream, or the window's rows at full speed. */
function streamQuery(wishes: QueryWishes, channel: QueryChannel): ChannelQuery {
  const { symbol, window } = wishes;
  const base = channelQuery(wishes, channel);
  if (window === null) {
    return {
      ...base,
      path: '/api/public/data/stream',
      parameters: { symbol, channels: channel },
      paged: false,
      remark: 'Runs until stopped. To resume, send the last id you read as Last-Event-ID.',
    };
  }
  const parameters = { symbol, channels: channel, start: toUtc(window.startMs), end: toUtc(window.endMs), speed: 'max' };
  return {
    ...base,
    path: '/api/public/data/stream/replay',
    parameters,
    paged: false,
    startMs: window.startMs,
    endMs: window.endMs,
    remark: cutRemark(wishes),
  };
}

type ConnectorId = Described<'ConnectorQuerySpec'>['connector_id'];

const CONNECTORS: Readonly<Record<ConnectorId, Connector>> = {
  rest: {
    requires: ['bash', 'curl 7.76 or newer'],
    channels: QUERY_CHANNELS,
    query: channelQuery,
    snippet: (_query, url) => ({ prepare: null, language: 'bash', snippet: curlCommand(url), output: null }),
  },
  python: {
    requires: ['python 3.8 or newer'],
    channels: QUERY_CHANNELS,
    query: channelQuery,
    snippet: (query, url) => ({
      prepare: null,
      language: 'python',
      snippet: [...pythonRows(url, query.shape, query.paged), 'for row in rows:', '    print(json.dumps(row))', ''].join('\n'),
      output: null,
    }),
  },
  duckdb: {
    requires: ['bash', 'curl 7.76 or newer', 'duckdb 1.1 or newer'],
    channels: QUERY_CHANNELS,
    query: channelQuery,
    snippet(query, url) {
      const file = fileOf(query, 'json');
      return { prepare: curlToFile(url, file), language: 'sql', snippet: `${duckdbTable(query.shape, file)};`, output: null };
    },
  },
  csv: {
    requires: ['python 3.8 or newer'],
    channels: QUERY_CHANNELS,
    query: channelQuery,
    snippet(query, url) {
      const output = fileOf(query, 'csv');
      const columns = [
        ...query.shape.columns.map(({ name }) => name),
        ...(query.shape.levels === undefined ? [] : ['side', 'level', 'price', 'size']),
      ];
      const write = [
        `with open("${output}", "w", newline="") as file:`,
        `    writer = csv.DictWriter(file, ${JSON.stringify(columns)})`,
        '    writer.writeheader()',
        '    for row in rows:',
        '        writer.writerow({name: json.dumps(value) if isinstance(value, (dict, list)) else value for name, value in row.items()})',
        '',
      ];
      return {
        prepare: null,
        language: 'python',
        snippet: [...pythonRows(url, query.shape, query.paged, ['csv']), ...write].join('\n'),
        output,
      };
    },
  },
  parquet: {
    requires: ['bash', 'curl 7.76 or newer', 'duckdb 1.1 or newer'],
    channels: QUERY_CHANNELS,
    query: channelQuery,
    snippet(query, url) {
      const file = fileOf(query, 'json');
      const output = fileOf(query, 'parquet');
      return {
        prepare: curlToFile(url, file),
        language: 'sql',
        snippet: `COPY (\n${duckdbTable(query.shape, file)}\n) TO '${output}' (FORMAT parquet, COMPRESSION zstd);`,
        output,
      };
    },
  },
  sse: {
    requires: ['bash', 'curl 7.76 or newer'],
    channels: QUERY_CHANNELS.filter((channel) => channel !== 'candles'),
    query: streamQuery,
    snippet: (_query, url) => ({ prepare: null, language: 'bash', snippet: curlStream(url), output: null }),
  },
};

export const CONNECTOR_IDS: readonly string[] = Object.keys(CONNECTORS);

function isConnectorId(id: string): id is ConnectorId {
  return Object.hasOwn(CONNECTORS, id);
}

function connectorOf(id: string):
  | {
      readonly id: ConnectorId;
      readonly requires: readonly string[];
      queries(wishes: QueryWishes, baseUrl: string): ConnectorQuery[];
    }
  | undefined {
  if (!isConnectorId(id)) return undefined;
  const connector = CONNECTORS[id];
  return {
    id,
    requires: connector.requires,
    queries: (wishes, baseUrl) =>
      connector.channels.map((channel) => {
        const query = connector.query(wishes, channel);
        const url = baseUrl + queryPath(query.path, query.parameters);
        return { query, url, ...connector.snippet(query, url) };
      }),
  };
}
