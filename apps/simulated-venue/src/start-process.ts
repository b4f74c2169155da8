import { createCloser, type Closable } from '@market-state/lifecycle';
import { createLogger } from '@market-state/logging';
import { createMetrics, startOpsServer } from '@market-state/telemetry';
import type { SimulatedVenueConfig } from './config';
import { startSimulatedVenue } from './start-simulated-venue';

/** The venue on this machine's clock, with its ops server. */
export async function startProcess(
  config: SimulatedVenueConfig,
): Promise<Closable & { readonly address: string; readonly opsPort: number }> {
  const logger = createLogger('simulated-venue', { level: config.LOG_LEVEL });
  const { registry } = createMetrics('simulated-venue');
  const closer = createCloser();
  try {
    const { SIMULATED_VENUE_ADDRESS: address, SIMULATED_SEED: seed, SIMULATED_SCENARIO: scenario } = config;
    const venue = await startSimulatedVenue({ address, seed, scenario, logger });
    closer.add('venue', () => venue.close());
    const ops = await startOpsServer({
      port: config.OPS_PORT,
      registry,
      ready: () => ({ ready: true, checks: { market: venue.truth() !== undefined } }),
    });
    closer.add('ops', () => ops.close());
    logger.info({ address: venue.address, ops_port: ops.port, seed, scenario }, 'the simulated venue is open');
    return { address: venue.address, opsPort: ops.port, close: () => closer.close() };
  } catch (error) {
    await closer.close();
    throw error;
  }
}
