import { ConfigError } from '@market-state/config';
import { readSimulatedVenueConfig } from './config';

test('defaults: any free port of loopback, seed 1', () => {
  expect(readSimulatedVenueConfig({})).toEqual({
    LOG_LEVEL: 'info',
    OPS_PORT: 0,
    SIMULATED_VENUE_ADDRESS: '127.0.0.1:0',
    SIMULATED_SEED: 1,
    SIMULATED_SCENARIO: 'demo',
    SIMULATED_PROTOCOL: 'hyperliquid',
  });
});

test('every fault is named at once; an address that others reach is one', () => {
  let faults: unknown;
  try {
    readSimulatedVenueConfig({
      SIMULATED_VENUE_ADDRESS: '0.0.0.0:80',
      SIMULATED_SEED: '-1',
      SIMULATED_SCENARIO: 'feed_down',
      SIMULATED_PROTOCOL: 'wire',
      OPS_PORT: 'x',
    });
  } catch (error) {
    faults = error instanceof ConfigError && error.faults.map(({ variable }) => variable).sort();
  }
  expect(faults).toEqual(['OPS_PORT', 'SIMULATED_PROTOCOL', 'SIMULATED_SCENARIO', 'SIMULATED_SEED', 'SIMULATED_VENUE_ADDRESS']);
});
