import type { Attempt } from './use-webhooks';

/** Attempts of one stretch of time. */
export interface HealthSlot {
  readonly startMs: number;
  readonly endMs: number;
  readonly attempts: number;
  readonly failed: number;
}

/** The attempts of one endpoint in `slots` stretches of equal length before `toMs`, oldest first. */
export function healthOf(
  attempts: readonly Attempt[],
  webhookId: string,
  toMs: number,
  hours: number,
  slots: number,
): readonly HealthSlot[] {
  const lengthMs = (hours * 3_600_000) / slots;
  const startMs = toMs - slots * lengthMs;
  const counts = Array.from({ length: slots }, () => ({ attempts: 0, failed: 0 }));
  for (const { webhook_id: id, started_at_utc: started, outcome } of attempts) {
    if (id !== webhookId) continue;
    const slot = counts[Math.min(slots - 1, Math.floor((Date.parse(started) - startMs) / lengthMs))];
    if (slot === undefined) continue;
    slot.attempts += 1;
    if (outcome !== 'ok') slot.failed += 1;
  }
  return counts.map((count, index) => ({ startMs: startMs + index * lengthMs, endMs: startMs + (index + 1) * lengthMs, ...count }));
}

/** How a stretch is drawn: without attempts, with all delivered, some, or none. */
export function healthWord({ attempts, failed }: HealthSlot): 'quiet' | 'good' | 'mixed' | 'bad' {
  if (attempts === 0) return 'quiet';
  if (failed === 0) return 'good';
  return failed < attempts ? 'mixed' : 'bad';
}
