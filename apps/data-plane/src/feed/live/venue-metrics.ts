import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';

/** Metrics of the connections to venues. */
export interface VenueMetrics {
  connected(venue: string, isConnected: boolean): void;
  received(venue: string, messages: number): void;
  /** Messages that wait to be taken into the logs. */
  queued(venue: string, messages: number): void;
  letGo(venue: string, reason: 'oversized_frame' | 'overflow', messages: number): void;
}

export function createVenueMetrics({ registry }: Metrics): VenueMetrics {
  const registers = [registry];
  const connected = new Gauge({
    name: 'feed_venue_connected',
    help: '1 while the connection to the venue is open.',
    labelNames: ['venue'],
    registers,
  });
  const connections = new Counter({
    name: 'feed_venue_connections_total',
    help: 'Connections to the venue that were opened.',
    labelNames: ['venue'],
    registers,
  });
  const received = new Counter({
    name: 'feed_venue_messages_total',
    help: 'Messages received from the venue.',
    labelNames: ['venue'],
    registers,
  });
  const queued = new Gauge({
    name: 'feed_venue_queue',
    help: 'Messages that wait to be taken into the logs.',
    labelNames: ['venue'],
    registers,
  });
  const letGo = new Counter({
    name: 'feed_venue_let_go_total',
    help: 'Messages of the venue that were not read.',
    labelNames: ['venue', 'reason'],
    registers,
  });
  return {
    connected(venue, isConnected) {
      connected.set({ venue }, isConnected ? 1 : 0);
      if (isConnected) connections.inc({ venue });
    },
    received: (venue, messages) => received.inc({ venue }, messages),
    queued: (venue, messages) => queued.set({ venue }, messages),
    letGo: (venue, reason, messages) => letGo.inc({ venue, reason }, messages),
  };
}
