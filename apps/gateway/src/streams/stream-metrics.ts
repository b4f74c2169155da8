import type { Metrics } from '@market-state/telemetry';
import { Counter, Gauge } from 'prom-client';

/** `event_stream_clients{route}`, `event_stream_messages_sent_total{route}`, `event_stream_messages_skipped_total{route}`. */
export interface StreamMetrics {
  readonly clients: Gauge<'route'>;
  readonly sent: Counter<'route'>;
  readonly skipped: Counter<'route'>;
}

export function createStreamMetrics({ registry }: Metrics): StreamMetrics {
  const registers = [registry];
  return {
    clients: new Gauge({ name: 'event_stream_clients', help: 'Streams open now.', labelNames: ['route'], registers }),
    sent: new Counter({
      name: 'event_stream_messages_sent_total',
      help: 'Messages sent to readers, heartbeats and last messages aside.',
      labelNames: ['route'],
      registers,
    }),
    skipped: new Counter({
      name: 'event_stream_messages_skipped_total',
      help: 'Rows and gaps that readers were told they missed.',
      labelNames: ['route'],
      registers,
    }),
  };
}
