import { useMutation } from '@tanstack/react-query';
import { ProblemNotice } from '../../conditions/problem-notice';
import { read, service } from '../../service/client';
import styles from './packet.module.css';

const LABELS = [
  ['useful', 'Useful'],
  ['partial', 'Partly'],
  ['missing_context', 'Context was missing'],
  ['noise', 'Noise'],
] as const;

/** Says how useful the label was; the last word of an account counts. */
export function Feedback({ eventId }: { readonly eventId: string }) {
  const { mutate, data, variables, isPending, error } = useMutation({
    mutationFn: (label: (typeof LABELS)[number][0]) => read(service.packets.feedback({ event_id: eventId, label })),
  });
  return (
    <section aria-label="Feedback" className={styles['feedback']}>
      <h2>Was this label of use?</h2>
      <p className={styles['actions']}>
        {LABELS.map(([label, title]) => (
          <button
            key={label}
            type="button"
            aria-pressed={data !== undefined && variables === label}
            disabled={isPending}
            onClick={() => mutate(label)}
          >
            {title}
          </button>
        ))}
        <span className={styles['soft']}>
          {data === undefined ? '1 credit; a later answer replaces it' : 'Kept. A later answer replaces it.'}
        </span>
      </p>
      {error === null ? null : <ProblemNotice error={error} />}
    </section>
  );
}
