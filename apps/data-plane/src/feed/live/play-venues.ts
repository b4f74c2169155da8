import type { EventLog } from '@market-state/event-log';
import type { Logger } from '@market-state/logging';
import type { FeedConfig } from '../../config';
import type { Clock } from '../clock';
import type { FeedStateStore } from '../feed-state';
import type { Leases } from '../leases';
import type { KeeperSettings } from '../log-keeper';
import type { SymbolStatus } from '../symbol-status';
import { createInbox } from './inbox';
import { keepConnection, type VenueMetrics } from './keep-connection';
import { type LiveSignals, playLive } from './live-symbol';
import { venueConnections } from './venue-connections';

interface VenuesDeps {
  readonly config: FeedConfig;
  readonly eventLog: EventLog;
  readonly store: FeedStateStore;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: VenueMetrics;
  readonly statusOf: (symbol: string) => SymbolStatus;
  readonly settings: KeeperSettings;
}

/** Plays every live symbol, over one connection to each venue, until told to end. The connections last until all symbols have ended. */
export async function playVenues({ config, clock, logger, metrics, statusOf, ...deps }: VenuesDeps, signals: LiveSignals): Promise<void> {
  const over = new AbortController();
  const connections: Promise<void>[] = [];
  await Promise.all(
    venueConnections(config, clock, logger).flatMap((kept) => {
      const inboxes = new Map(kept.rows.map((row) => [row.venueInstrument, createInbox()]));
      const players = kept.rows.map((row) => {
        const inbox = inboxes.get(row.venueInstrument) ?? createInbox();
        return playLive({ ...deps, row, inbox, clock, logger, status: statusOf(row.symbol) }, signals);
      });
      connections.push(keepConnection(kept, { clock, logger, metrics, inboxes }, AbortSignal.any([signals.stop, over.signal])));
      return players;
    }),
  );
  over.abort();
  await Promise.all(connections);
}
