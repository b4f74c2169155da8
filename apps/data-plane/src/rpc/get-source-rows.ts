import type { marketData } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { WINDOW_MS } from '@market-state/market-data';
import { instantFaults, rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import { toDataRow } from '../window/data-row';
import { fromPublicChannels } from '../window/public-channels';
import { readSourceRows } from '../window/read-source-rows';
import type { RpcDeps } from './deps';
import { refuseUnserved } from './served';

const LENGTH_MS_MAX = 3_600_000;
const ROWS_MAX = 20;
const SPANS_MAX = 4;

/** The stored rows that a packet was made of, counted, with the last of each channel. */
export async function getSourceRows(
  deps: RpcDeps,
  request: marketData.GetSourceRowsRequest,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<marketData.GetSourceRowsResponse> {
  const { symbol, windowEndMs, asOfMs, spans } = request;
  refuseFaults(
    symbolFaults(symbol),
    instantFaults('window_end_ms', windowEndMs),
    instantFaults('as_of_ms', asOfMs),
    rangeFaults('spans', spans.length, 1, SPANS_MAX),
    spans.flatMap(spanFaults),
    channelFaults(spans.map(({ channel }) => channel)),
  );
  refuseUnserved(deps, symbol);
  const { epoch = 0, ordinal = 0 } = request.closedBy ?? {};
  const wanted = spans.flatMap(({ channel: name, lengthMs, rowLimit }) =>
    fromPublicChannels([name]).map((channel) => ({ channel, startMs: windowEndMs - lengthMs + 1, rowLimit })),
  );
  const found = await readSourceRows(
    deps,
    { symbol, endMs: windowEndMs + 1, asOfMs, closedBy: { epoch, ordinal }, ownAfterMs: windowEndMs - WINDOW_MS, spans: wanted },
    signal,
  );
  return {
    channels: found.map(({ rows, ...totals }, index) => ({ channel: spans[index]?.channel ?? '', ...totals, rows: rows.map(toDataRow) })),
  };
}

function spanFaults({ lengthMs, rowLimit }: marketData.SourceSpan, index: number): Fault[] {
  return [
    ...rangeFaults(`spans[${index}].length_ms`, lengthMs, WINDOW_MS, LENGTH_MS_MAX),
    ...rangeFaults(`spans[${index}].row_limit`, rowLimit, 1, ROWS_MAX),
  ];
}

function channelFaults(names: readonly string[]): Fault[] {
  const known = names.every((name) => name !== 'control' && fromPublicChannels([name]).length === 1);
  if (known && new Set(names).size === names.length) return [];
  return [
    {
      field: 'spans',
      message: 'must each have another of book, trades, context, liquidations as its channel',
      type: 'unknown_value',
    },
  ];
}
