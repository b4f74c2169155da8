import { type Closable, createCloser } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import type { Metrics } from '@market-state/telemetry';
import { createVenueAnswers } from '@market-state/venues';
import type { FeedConfig } from '../config';
import { createLiveClock } from '../feed/clock';
import { isLive } from '../feed/live/venue-connections';
import type { RecordingFacts } from '../feed/recording-facts';
import { createAuditMetrics } from './audit-metrics';
import type { AuditTarget } from './audit-target';
import { liveTarget } from './live-target';
import type { AuditDeps } from './recorded-rows';
import { recordedTarget } from './recorded-target';
import { startAudit } from './start-audit';

export interface FeedAuditDeps {
  readonly config: FeedConfig;
  readonly recordings: readonly RecordingFacts[];
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly isPlaying: (symbol: string) => boolean;
}

/** Starts the audit of every symbol of the feed, with connections of its own to the database, until closed. */
export function startFeedAudit({ config, recordings, logger, metrics, isPlaying }: FeedAuditDeps): Closable {
  const closer = createCloser();
  const pool = createPool({ url: config.DATABASE_URL, logger, applicationName: 'data-plane-feed-audit', max: 2 });
  closer.add('pool', () => pool.end());
  const deps = { pool, clock: createLiveClock() };
  const targets = [...liveTargets(deps, config), ...recordings.map((facts) => targetOf(deps, facts, config))];
  const audit = startAudit({ ...deps, logger, metrics: createAuditMetrics(metrics), isPlaying }, targets);
  closer.add('audit', () => audit.close());
  return { close: () => closer.close() };
}

function liveTargets(deps: AuditDeps, { served, venueUrls }: FeedConfig): AuditTarget[] {
  return served.filter(isLive).flatMap(({ row }) => {
    const urls = venueUrls[row.venue];
    return urls === undefined ? [] : [liveTarget({ ...deps, row, answers: createVenueAnswers(row.venue, urls.restUrl) })];
  });
}

function targetOf(deps: AuditDeps, { instrument }: RecordingFacts, config: FeedConfig): AuditTarget {
  return recordedTarget(deps, instrument, config.recordings[instrument.symbol] ?? []);
}
