export { startSimulatedVenue, type SimulatedVenue, type SimulatedVenueOptions } from './start-simulated-venue';
export type { FaultCommand } from './faults/fault-command';
export type { TradeRow } from './protocol/frames';
export { readSimulatedVenueConfig, type SimulatedVenueConfig } from './config';
