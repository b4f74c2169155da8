export { readSimulatedVenueConfig } from './config';
export { startSimulatedVenue, type SimulatedVenue } from './start-simulated-venue';
export type { FaultCommand } from './faults/fault-command';
export type { TradeRow } from './protocol/frames';
export { STAND_IN_PROTOCOLS, startStandIn, type StandIn, type StandInFault, type StandInProtocol } from './stand-ins/start-stand-in';
export type { TapeStep } from './stand-ins/market-tape';
