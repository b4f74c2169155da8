import type { marketData } from '@market-state/contracts';
import type { MarketDataClient } from '../clients/market-data-client';
import { fromProtoSourceKind } from '../clients/source-kind';
import { jsonRepresentation } from '../http/representation';
import { toUtc } from '../http/utc';
import { dataAnswer, freshnessOf } from './data-answer';
import type { Handler } from './handler';

const NEVER: marketData.ContextValue = { value: '', asOfMs: 0 };

/** The seven values as they were sent, by their public names. */
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

type Value = string | number | null;

function withTime<K extends string>(name: K, value: Value, asOfMs: number) {
  return { [name]: value, [`${name}_as_of_utc`]: value === null ? null : toUtc(asOfMs) };
}

function fieldsOf(answer: marketData.GetActiveAssetResponse) {
  const { basis_bps: basis, ...decimals } = valuesOf(answer);
  const interval = answer.fundingIntervalHours === 0 ? null : answer.fundingIntervalHours;
  return Object.assign(
    {},
    ...Object.entries(decimals).map(([name, { value, asOfMs }]) => withTime(name, value === '' ? null : value, asOfMs)),
    withTime('funding_interval_hours', interval, decimals.funding_rate.asOfMs),
    withTime('basis_bps', basis.value === '' ? null : Number(basis.value), basis.asOfMs),
  ) as Record<string, Value>;
}

export function getActiveAsset(client: MarketDataClient): Handler {
  return async ({ operation, input }) => {
    const answer = await client.call.getActiveAsset({ symbol: String(input.query['symbol']) });
    const newestMs = Math.max(...Object.values(valuesOf(answer)).map(({ asOfMs }) => asOfMs));
    const source = {
      symbol: answer.symbol,
      venue: answer.venue,
      asOfMs: newestMs === 0 ? answer.feedClockMs : newestMs,
      kinds: [fromProtoSourceKind(answer.sourceKind)],
      state: freshnessOf(newestMs !== 0, answer.freshnessMs, answer.stalenessLimitMs),
      reported: answer.reported,
    };
    return jsonRepresentation(dataAnswer(operation, source, fieldsOf(answer)));
  };
}
