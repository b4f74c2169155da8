export { readSimulatedVenueConfig } from './config';
export { startSimulatedVenue, type SimulatedVenue } from './start-simulated-venue';
export type { FaultCommand } from './faults/fault-command';
export type { TradeRow } from './protocol/frames';
