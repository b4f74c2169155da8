import type { marketData } from '@market-state/contracts';
import { fundingOf } from '@market-state/market-data';
import { fromProtoSourceKind } from '../../clients/market-data-client';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc } from '../../serving/meta/meta';
import { type AnswerContext, dataAnswer, freshnessOf } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import type { ReadDeps } from '../../clients/upstreams';

const NEVER: marketData.ContextValue = { value: '', asOfMs: 0 };

/** The seven values by public name. */
function valuesOf(answer: marketData.GetActiveAssetResponse) {
  return {
    funding_rate: answer.fundingRate ?? NEVER,
    open_interest: answer.openInterest ?? NEVER,
    open_interest_usd: answer.openInterestUsd ?? NEVER,
    mark_price: answer.markPrice ?? NEVER,
    oracle_price: answer.oraclePrice ?? NEVER,
    basis_bps: answer.basisBps ?? NEVER,
    day_volume_usd: answer.dayVolumeUsd ?? NEVER,
  };
}

function decimalOf({ value }: marketData.ContextValue): string | null {
  return value === '' ? null : value;
}

function timeOf({ value, asOfMs }: marketData.ContextValue): string | null {
  return value === '' ? null : toUtc(asOfMs);
}

/** Hourly rate, or the reason why it is unknown. */
function hourlyRate(funding: marketData.ContextValue, hours: number) {
  const rate = funding.value === '' || hours === 0 ? undefined : fundingOf(funding.value, hours).fundingRate;
  const reason = funding.value === '' ? 'funding_rate_not_sent' : 'funding_interval_unknown';
  return {
    hourly_funding_rate: rate ?? null,
    hourly_funding_rate_as_of_utc: rate === undefined ? null : toUtc(funding.asOfMs),
    hourly_funding_rate_missing_reason: rate === undefined ? reason : null,
  } as const;
}

function fieldsOf(answer: marketData.GetActiveAssetResponse) {
  const values = valuesOf(answer);
  const { funding_rate: funding, basis_bps: basis } = values;
  const hours = answer.fundingIntervalHours;
  return {
    funding_rate: decimalOf(funding),
    funding_rate_as_of_utc: timeOf(funding),
    funding_interval_hours: hours === 0 ? null : hours,
    funding_interval_hours_as_of_utc: hours === 0 ? null : toUtc(funding.asOfMs),
    ...hourlyRate(funding, hours),
    open_interest: decimalOf(values.open_interest),
    open_interest_as_of_utc: timeOf(values.open_interest),
    open_interest_usd: decimalOf(values.open_interest_usd),
    open_interest_usd_as_of_utc: timeOf(values.open_interest_usd),
    mark_price: decimalOf(values.mark_price),
    mark_price_as_of_utc: timeOf(values.mark_price),
    oracle_price: decimalOf(values.oracle_price),
    oracle_price_as_of_utc: timeOf(values.oracle_price),
    basis_bps: basis.value === '' ? null : Number(basis.value),
    basis_bps_as_of_utc: timeOf(basis),
    day_volume_usd: decimalOf(values.day_volume_usd),
    day_volume_usd_as_of_utc: timeOf(values.day_volume_usd),
  };
}

export function contextAnswer(call: AnswerContext, answer: marketData.GetActiveAssetResponse) {
  const newestMs = Math.max(...Object.values(valuesOf(answer)).map(({ asOfMs }) => asOfMs));
  const source = {
    symbol: answer.symbol,
    venue: answer.venue,
    asOfMs: newestMs === 0 ? answer.feedClockMs : newestMs,
    kinds: [fromProtoSourceKind(answer.sourceKind)],
    state: freshnessOf(newestMs !== 0, answer.freshnessMs, answer.stalenessLimitMs),
    lacking: answer.reported ? undefined : 'funding, open interest, mark or oracle price',
  };
  return dataAnswer(call, source, fieldsOf(answer));
}

export function getActiveAssetContext({ marketData: client }: Pick<ReadDeps, 'marketData'>): Handler<'getActiveAssetContext'> {
  return async (call) => jsonRepresentation(contextAnswer(call, await client.call.getActiveAsset({ symbol: call.input.query.symbol })));
}
