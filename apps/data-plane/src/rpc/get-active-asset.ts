import type { marketData } from '@market-state/contracts';
import { refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { TimedValue } from '../market/context-values';
import type { RpcDeps } from './deps';
import { toProtoSourceKind } from './to-proto';

/** The newest context of a symbol from memory, each value as it was sent. */
export async function getActiveAsset(
  { tail, venues }: RpcDeps,
  { symbol }: marketData.GetActiveAssetRequest,
): Promise<marketData.GetActiveAssetResponse> {
  refuseFaults(symbolFaults(symbol));
  const market = tail.marketOf(symbol);
  const venue = venues.of(symbol);
  const values = market.context.view();
  const last = market.lastSeen('context');
  return {
    symbol,
    venue: venue.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    reported: venue.channels.includes('context'),
    fundingRate: toProtoValue(values.fundingRate),
    fundingIntervalHours: values.fundingRate?.intervalHours ?? 0,
    openInterest: toProtoValue(values.openInterest),
    openInterestUsd: toProtoValue(values.openInterestUsd),
    markPrice: toProtoValue(values.markPrice),
    oraclePrice: toProtoValue(values.oraclePrice),
    basisBps: toProtoValue(values.basisBps),
    dayVolumeUsd: toProtoValue(values.dayVolume),
    feedClockMs: market.clock.nowMs() ?? 0,
    freshnessMs: last === undefined ? 0 : market.clock.ageMs(last.exchangeTsMs),
    stalenessLimitMs: venue.stalenessMs('context'),
  };
}

function toProtoValue(value: TimedValue | undefined): marketData.ContextValue {
  return { value: value?.value ?? '', asOfMs: value?.asOfMs ?? 0 };
}
