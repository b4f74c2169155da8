import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { Gauge } from 'prom-client';

const DAY_MS = 86_400_000;
/** A certificate that expires sooner causes a warning, milliseconds. */
const WARNED_MS = 7 * DAY_MS;

export interface ExpiryDeps {
  readonly service: string;
  /** When the certificate in use expires, milliseconds since the epoch. */
  readonly endsMs: () => number;
  readonly logger: Logger;
  readonly metrics?: Metrics;
  readonly now: () => number;
}

/**
 * Warns once a day, when asked to look, in the last seven days of a service's certificate, and reports the remaining time as
 * `rpc_certificate_seconds_left`.
 */
export function watchExpiry({ service, endsMs, logger, metrics, now }: ExpiryDeps): { look(): void } {
  let warnedMs = Number.NEGATIVE_INFINITY;
  if (metrics !== undefined) {
    new Gauge({
      name: 'rpc_certificate_seconds_left',
      help: 'Time until the certificate by which other services know this one ends; negative once it has.',
      registers: [metrics.registry],
      collect() {
        this.set((endsMs() - now()) / 1_000);
      },
    });
  }
  return {
    look() {
      if (endsMs() - now() > WARNED_MS || now() - warnedMs < DAY_MS) return;
      warnedMs = now();
      logger.warn({ service, ends_utc: new Date(endsMs()).toISOString() }, 'certificate ends within a week: renew it');
    },
  };
}
