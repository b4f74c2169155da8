import { silentLogger } from '@market-state/logging';
import { instrumentRows } from '@market-state/market-data';
import { startSimulatedVenue } from '@market-state/simulated-venue';
import { createHyperliquidSource } from '@market-state/venues';
import type { LiveMessage, LiveMessages } from './messages';

const SEED = 1;
const START_MS = Date.UTC(2026, 0, 5, 12);
const STEP_MS = 250;

/**
 * What the Hyperliquid adapter gets of the simulated venue, which speaks as Hyperliquid does, until it has so many messages or the venue
 * hangs up.
 */
export async function simulatedMessages(total: number): Promise<LiveMessages> {
  const instrument = instrumentRows.find(({ feed }) => feed === 'simulated');
  if (instrument === undefined) throw new Error('No instrument of the simulated venue is known.');
  const logger = silentLogger();
  const venue = await startSimulatedVenue({ address: '127.0.0.1:0', seed: SEED, logger, startMs: START_MS, scenario: 'calm' });
  let nowMs = START_MS;
  const source = createHyperliquidSource({
    wsUrl: venue.wsUrl,
    restUrl: venue.restUrl,
    logger,
    simulated: true,
    clock: { nowMs: () => nowMs },
  });
  const messages: LiveMessage[] = [];
  const stop = new AbortController();
  try {
    const connection = await source.connect(stop.signal);
    const reading = (async () => {
      for await (const batch of connection.messages())
        messages.push(...batch.messages.map(({ receivedMs, receivedNs, text }) => ({ receivedMs, line: `${receivedNs} ${text}` })));
    })();
    let isOpen = true;
    void reading.catch(() => undefined).finally(() => (isOpen = false));
    await connection.subscribe([instrument.venueInstrument]);
    while (isOpen && messages.length < total) {
      nowMs += STEP_MS;
      venue.advanceTo(nowMs);
      await venue.flushed();
    }
    connection.close();
    await reading.catch(() => undefined);
  } finally {
    stop.abort();
    await venue.close();
  }
  return { name: 'Hyperliquid, simulated', instrument, messages: messages.slice(0, total) };
}
