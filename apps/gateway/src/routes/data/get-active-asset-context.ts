import type { marketData } from '@market-state/contracts';
import type { MarketDataClient } from '../../clients/market-data-client';
import { fromProtoSourceKind } from '../../clients/source-kind';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc } from '../../serving/meta/utc';
import { dataAnswer, freshnessOf } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/handlers/handler';

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

function withTime(name: string, value: Value, asOfMs: number): Readonly<Record<string, Value>> {
  return { [name]: value, [`${name}_as_of_utc`]: value === null ? null : toUtc(asOfMs) };
}

function fieldsOf(answer: marketData.GetActiveAssetResponse) {
  const { funding_rate: funding, basis_bps: basis, day_volume_usd: volume, ...others } = valuesOf(answer);
  const decimal = (name: string, { value, asOfMs }: marketData.ContextValue) => withTime(name, value === '' ? null : value, asOfMs);
  return {
    ...decimal('funding_rate', funding),
    ...withTime('funding_interval_hours', answer.fundingIntervalHours === 0 ? null : answer.fundingIntervalHours, funding.asOfMs),
    ...(Object.assign({}, ...Object.entries(others).map(([name, value]) => decimal(name, value))) as Record<string, Value>),
    ...withTime('basis_bps', basis.value === '' ? null : Number(basis.value), basis.asOfMs),
    ...decimal('day_volume_usd', volume),
  };
}

export function getActiveAssetContext(client: MarketDataClient): Handler<'getActiveAssetContext'> {
  return async ({ operation, grant, input }) => {
    const answer = await client.call.getActiveAsset({ symbol: input.query.symbol });
    const newestMs = Math.max(...Object.values(valuesOf(answer)).map(({ asOfMs }) => asOfMs));
    const source = {
      symbol: answer.symbol,
      venue: answer.venue,
      asOfMs: newestMs === 0 ? answer.feedClockMs : newestMs,
      kinds: [fromProtoSourceKind(answer.sourceKind)],
      state: freshnessOf(newestMs !== 0, answer.freshnessMs, answer.stalenessLimitMs),
      lacking: answer.reported ? undefined : 'funding, open interest, mark or oracle price',
    };
    return jsonRepresentation(dataAnswer({ operation, grant }, source, fieldsOf(answer)));
  };
}
