import { counted } from '@market-state/packet-figures';
import { clockSpan } from '../../time/clock';
import { healthOf, healthWord } from './health';
import { type Attempt, HEALTH_HOURS } from './use-webhooks';
import styles from './webhooks.module.css';

const SLOTS = 48;

interface HealthStripProps {
  readonly attempts: readonly Attempt[];
  readonly webhookId: string;
  readonly toMs: number;
}

/** Attempts of the last 24 hours at one endpoint, half an hour a cell: full where all were delivered, hatched where some failed. */
export function HealthStrip({ attempts, webhookId, toMs }: HealthStripProps) {
  const slots = healthOf(attempts, webhookId, toMs, HEALTH_HOURS, SLOTS);
  const total = slots.reduce((sum, slot) => sum + slot.attempts, 0);
  const failed = slots.reduce((sum, slot) => sum + slot.failed, 0);
  const sentence = total === 0 ? 'no attempt in 24 h' : `${counted(total, 'attempt')} in 24 h, ${failed} failed`;
  return (
    <>
      <div className={styles['strip']} role="img" aria-label={sentence}>
        {slots.map((slot) => (
          <i
            key={slot.startMs}
            data-health={healthWord(slot)}
            title={`${clockSpan(slot.startMs, slot.endMs, 'timeMinute')}: ${counted(slot.attempts, 'attempt')}, ${slot.failed} failed`}
          />
        ))}
      </div>
      <span className={styles['more']}>{sentence}</span>
    </>
  );
}
