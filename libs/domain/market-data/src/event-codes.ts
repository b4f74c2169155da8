import { CHANNELS, type Channel, type GapReason, type LiquidationEvent, type SourceKind, type TradeEvent } from './event';

/** Enum numbers in `marketstate.marketdata.v1`; 0 is unspecified. */
export const CHANNEL_CODES: Readonly<Record<Channel, number>> = { book: 1, trade: 2, context: 3, liquidation: 4, control: 5 };
export const AGGRESSOR_CODES: Readonly<Record<TradeEvent['aggressorSide'], number>> = { buy: 1, sell: 2 };
export const POSITION_CODES: Readonly<Record<LiquidationEvent['positionSide'], number>> = { long: 1, short: 2 };
export const PROVENANCE_CODES: Readonly<Record<LiquidationEvent['provenance'], number>> = { venue_reported: 1, proxy: 2 };
export const SOURCE_KIND_CODES: Readonly<Record<SourceKind, number>> = { live: 1, recorded: 2, simulated: 3 };

export const CHANNEL_NAMES: readonly (Channel | undefined)[] = [undefined, ...CHANNELS];
export const AGGRESSOR_NAMES: readonly (TradeEvent['aggressorSide'] | undefined)[] = [undefined, 'buy', 'sell'];
export const POSITION_NAMES: readonly (LiquidationEvent['positionSide'] | undefined)[] = [undefined, 'long', 'short'];
export const PROVENANCE_NAMES: readonly (LiquidationEvent['provenance'] | undefined)[] = [undefined, 'venue_reported', 'proxy'];
export const SOURCE_KIND_NAMES: readonly (SourceKind | undefined)[] = [undefined, 'live', 'recorded', 'simulated'];
export const GAP_REASONS: readonly GapReason[] = [
  'sequence_gap',
  'log_lost',
  'feed_down',
  'disconnected',
  'overflow',
  'not_listed',
  'arrived_late',
];
