import type { marketData } from '@market-state/contracts';
import type { TimedValue } from '../context-values';
import { toProtoSourceKind } from '../proto-names';
import type { ReadVenue } from '../read-venue';
import type { SymbolMarket } from '../symbol-market';

/** The newest context, each value as it was sent. */
export function readContext(market: SymbolMarket, venue: ReadVenue): marketData.GetActiveAssetResponse {
  const values = market.context.view();
  const last = market.lastSeen('context');
  return {
    symbol: market.symbol,
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
