import sheet from '../../theme/sheet.module.css';
import type { Construction } from './how-queries';
import styles from './how.module.css';

/** What was counted over the delayed packets, each as a share, and what is not promised. */
export function MeasuredClaims({ claims }: { readonly claims: Construction['measured_claims'] }) {
  return (
    <div className={styles['halves']}>
      <div>
        <h3>Counted</h3>
        <ul className={styles['claims']}>
          {claims.included_for_preview.map(({ claim_id: id, statement, value, of }) => (
            <li key={id}>
              {statement}
              {of === null || of === 0 ? null : (
                <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                  <rect className={styles['track']} width="100" height="6" />
                  <rect width={(100 * value) / of} height="6" />
                </svg>
              )}
            </li>
          ))}
        </ul>
      </div>
      <div>
        <h3>Not promised</h3>
        <ul className={styles['claims']}>
          {claims.requires_later_sla.map(({ claim_id: id, statement }) => (
            <li key={id}>{statement}</li>
          ))}
        </ul>
        <p className={sheet['soft']}>A packet is context: no signal, no advice, no order, no statement about performance.</p>
      </div>
    </div>
  );
}
