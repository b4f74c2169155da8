import { marketData } from '@market-state/contracts';
import { rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { Liquidation } from '../market/liquidation-window';
import type { RpcDeps } from './deps';
import { passedId, toProtoSourceKind } from './to-proto';

const ROWS_MAX = 1_000;

/** Liquidations of the last seconds of feed time, from memory. */
export async function getLiquidations(
  { tail, venues }: RpcDeps,
  request: marketData.GetLiquidationsRequest,
): Promise<marketData.GetLiquidationsResponse> {
  const { symbol, windowSeconds } = request;
  refuseFaults(symbolFaults(symbol), rangeFaults('window_seconds', windowSeconds, 30, 3_600));
  const market = tail.marketOf(symbol);
  const venue = venues.of(symbol);
  const feedClockMs = market.clock.nowMs() ?? 0;
  const { liquidations, longNotional, shortNotional, largest } = market.liquidations.since(
    feedClockMs - windowSeconds * 1_000,
    venue.contractValue,
  );
  return {
    symbol,
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

function toProtoLiquidation({ event, notional }: Liquidation): marketData.LiquidationRow {
  const { pass, venueId, ordinal, positionSide, price, size, provenance, exchangeTsMs } = event;
  return {
    liquidationId: venueId === '' ? `log:${ordinal}` : passedId(pass, venueId),
    positionSide: positionSide === 'long' ? marketData.PositionSide.LONG : marketData.PositionSide.SHORT,
    price,
    size,
    notional,
    provenance: provenance === 'proxy' ? marketData.LiquidationProvenance.PROXY : marketData.LiquidationProvenance.VENUE_REPORTED,
    exchangeTsMs,
  };
}
