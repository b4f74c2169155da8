import { marketData } from '@market-state/contracts';
import { addDecimals, divideDecimals } from '@market-state/market-data';
import { fromProtoSourceKind } from '../../clients/market-data-client';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc } from '../../serving/meta/meta';
import { type AnswerContext, dataAnswer } from '../../serving/answers/data-answer';
import type { Handler, InputOf } from '../../serving/answers/handler';
import { symbolFreshness } from '../../serving/answers/symbol-freshness';
import type { Described } from '../../serving/openapi/document';
import type { ReadDeps } from '../../clients/upstreams';

type Provenance = Described<'LiquidationRow'>['provenance'];

const SIDES: Readonly<Record<marketData.PositionSide, Described<'LiquidationRow'>['position_side']>> = {
  [marketData.PositionSide.LONG]: 'long',
  [marketData.PositionSide.SHORT]: 'short',
  [marketData.PositionSide.UNSPECIFIED]: null,
};

/** An unspecified provenance counts as inferred. */
function toProvenance(provenance: marketData.LiquidationProvenance): Provenance {
  return provenance === marketData.LiquidationProvenance.VENUE_REPORTED ? 'venue_reported' : 'proxy';
}

function toRow(row: marketData.LiquidationRow): Described<'LiquidationRow'> {
  return {
    pass: row.pass,
    venue_id: row.venueId,
    liquidation_id: row.liquidationId === '' ? null : row.liquidationId,
    position_side: SIDES[row.positionSide],
    price: row.price,
    size: row.size,
    notional_usd: row.notional,
    provenance: toProvenance(row.provenance),
    exchange_time_utc: toUtc(row.exchangeTsMs),
  };
}

/**
 * (long − short) / (long + short) by value, 6 decimals, and the dominant side. A long position is closed by selling.
 * Null if nothing was liquidated.
 */
export function skewOf(
  longNotional: string,
  shortNotional: string,
): { readonly skew: number | null; readonly direction: Described<'LiquidationsContext'>['pressure_direction'] } {
  const total = addDecimals(longNotional, shortNotional);
  if (total === '0') return { skew: null, direction: null };
  const difference = addDecimals(longNotional, `-${shortNotional}`);
  const skew = Number(divideDecimals(difference, total, 6));
  if (difference === '0') return { skew: 0, direction: 'balanced' };
  return { skew, direction: difference.startsWith('-') ? 'buy' : 'sell' };
}

function provenanceOf(rows: readonly marketData.LiquidationRow[]): Provenance | 'mixed' | null {
  const [first, ...others] = new Set(rows.map(({ provenance }) => toProvenance(provenance)));
  return others.length > 0 ? 'mixed' : (first ?? null);
}

const NONE = {
  event_total: null,
  long_notional_usd: null,
  short_notional_usd: null,
  skew: null,
  pressure_direction: null,
  largest: null,
  provenance: null,
  rows: null,
  row_total: null,
};

function fieldsOf(answer: marketData.GetLiquidationsResponse) {
  if (!answer.reported) return NONE;
  const long = answer.longNotional === '' ? '0' : answer.longNotional;
  const short = answer.shortNotional === '' ? '0' : answer.shortNotional;
  const { skew, direction } = skewOf(long, short);
  return {
    event_total: answer.eventTotal,
    long_notional_usd: long,
    short_notional_usd: short,
    skew,
    pressure_direction: direction,
    largest: answer.largest === undefined ? null : toRow(answer.largest),
    provenance: provenanceOf(answer.rows),
    rows: answer.rows.map(toRow),
    row_total: answer.rows.length,
  };
}

export function liquidationsAnswer(
  call: AnswerContext,
  { window_seconds }: InputOf<'getLiquidationsContext'>['query'],
  answer: marketData.GetLiquidationsResponse,
  freshness: marketData.GetFreshnessResponse,
) {
  const source = {
    symbol: answer.symbol,
    venue: answer.venue,
    asOfMs: answer.feedClockMs,
    kinds: [fromProtoSourceKind(answer.sourceKind)],
    state: answer.reported ? symbolFreshness(freshness.channels) : ('missing' as const),
    lacking: answer.reported ? undefined : 'liquidations',
    remark: answer.eventTotal > answer.rows.length ? 'Lists the newest 1,000 liquidations; totals cover the whole window.' : '',
    stored: true,
  };
  return dataAnswer(call, source, { window_seconds, ...fieldsOf(answer) });
}

export function getLiquidationsContext({ marketData: client }: Pick<ReadDeps, 'marketData'>): Handler<'getLiquidationsContext'> {
  return async (call) => {
    const { query } = call.input;
    const { symbol, window_seconds: windowSeconds } = query;
    const [answer, freshness] = await Promise.all([
      client.call.getLiquidations({ symbol, windowSeconds }),
      client.call.getFreshness({ symbol }),
    ]);
    return jsonRepresentation(liquidationsAnswer(call, query, answer, freshness));
  };
}
