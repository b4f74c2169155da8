import { marketData } from '@market-state/contracts';
import type { Liquidation } from '../liquidation-window';
import { passedId, toProtoSourceKind } from '../proto-names';
import type { ReadVenue } from '../read-venue';
import type { SymbolMarket } from '../symbol-market';

const ROWS_MAX = 1_000;

/** Liquidations of the last seconds of feed time: at most 3,600, for so long they are kept. */
export function readLiquidations(
  market: SymbolMarket,
  venue: ReadVenue,
  { windowSeconds }: Pick<marketData.GetLiquidationsRequest, 'windowSeconds'>,
): marketData.GetLiquidationsResponse {
  const feedClockMs = market.clock.nowMs() ?? 0;
  const { liquidations, longNotional, shortNotional, largest } = market.liquidations.since(
    feedClockMs - windowSeconds * 1_000,
    venue.contractValue,
  );
  return {
    symbol: market.symbol,
    venue: venue.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    reported: venue.channels.includes('liquidation'),
    feedClockMs,
    rows: liquidations.slice(0, ROWS_MAX).map(toProtoLiquidation),
    eventTotal: liquidations.length,
    longNotional,
    shortNotional,
    largest: largest === undefined ? undefined : toProtoLiquidation(largest),
  };
}

export function toProtoLiquidation({ event, notional }: Liquidation): marketData.LiquidationRow {
  const { pass, venueId, ordinal, positionSide, price, size, provenance, exchangeTsMs } = event;
  return {
    liquidationId: venueId === '' ? `log:${ordinal}` : passedId(pass, venueId),
    positionSide: positionSide === 'long' ? marketData.PositionSide.LONG : marketData.PositionSide.SHORT,
    price,
    size,
    notional,
    provenance: provenance === 'proxy' ? marketData.LiquidationProvenance.PROXY : marketData.LiquidationProvenance.VENUE_REPORTED,
    exchangeTsMs,
    pass,
    venueId,
  };
}
