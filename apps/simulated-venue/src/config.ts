import { address, commonVariables, type Environment, readConfig, wholeNumber } from '@market-state/config';
import { venueScenarios } from '@market-state/scenarios';
import { z } from 'zod';
import { STAND_IN_PROTOCOLS } from './stand-ins/start-stand-in';

const SEED_MAX = 0xffff_ffff;
const LOOPBACK = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|\[::1\]):/;

const variables = z.object({
  LOG_LEVEL: commonVariables.LOG_LEVEL,
  OPS_PORT: commonVariables.OPS_PORT,
  SIMULATED_VENUE_ADDRESS: address
    .default('127.0.0.1:0')
    .refine((text) => LOOPBACK.test(text), 'must be a loopback address: anyone who can reach the venue can make it misbehave'),
  SIMULATED_SEED: wholeNumber(0, SEED_MAX).default(1),
  SIMULATED_SCENARIO: z.enum(venueScenarios).default('demo'),
  SIMULATED_PROTOCOL: z.enum(['hyperliquid', ...STAND_IN_PROTOCOLS]).default('hyperliquid'),
});

export type SimulatedVenueConfig = z.output<typeof variables>;

export function readSimulatedVenueConfig(env: Environment): SimulatedVenueConfig {
  return readConfig(variables, env);
}
