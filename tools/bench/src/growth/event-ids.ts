import { type System, withClient } from '@market-state/launcher';

const EVENTS_MAX = 400;

/** Events of symbols whose windows ended so long ago and earlier, the newest first. */
export async function eventIdsBefore(system: System, symbols: readonly string[], agoMs: number): Promise<readonly string[]> {
  return withClient(system.stores.ownerUrl('labeling'), async (client) => {
    const { rows } = await client.query<{ event_id: string }>(
      'SELECT event_id FROM event WHERE symbol = ANY ($1) AND window_end_ms < $2 ORDER BY window_end_ms DESC, symbol LIMIT $3',
      [symbols, Date.now() - agoMs, EVENTS_MAX],
    );
    return rows.map(({ event_id: id }) => id);
  });
}
