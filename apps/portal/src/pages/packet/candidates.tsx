import { words } from '@market-state/packet-figures';
import { StateMark } from '../../figures/state-mark';
import { WideTable } from '../../figures/wide-table';
import type { Evidence } from './packet-queries';
import styles from './packet.module.css';

interface CandidatesProps {
  readonly candidates: Evidence['candidates'];
  readonly sentence: string;
}

/** Every state that stood for election, ranked, with what its score is made of. */
export function Candidates({ candidates, sentence }: CandidatesProps) {
  return (
    <section aria-label="Candidates">
      <h2>Candidates, ranked</h2>
      <p className={styles['soft']}>{sentence}</p>
      <WideTable label="Candidates">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col" className={styles['number']}>
              Score, 0–1
            </th>
            <th scope="col" className={styles['wide']}>
              <span className="visually-hidden">Score as a bar</span>
            </th>
            <th scope="col" className={styles['number']}>
              Behind
            </th>
            <th scope="col">Outcome</th>
            <th scope="col">Terms</th>
          </tr>
        </thead>
        <tbody>
          {candidates.map(({ state, label, score, shortfall, outcome, rejection_reason: reason, terms, term_notes: notes }) => (
            <tr key={state}>
              <th scope="row" className={styles['state']}>
                <StateMark state={state} /> {label}
              </th>
              <td className={styles['number']}>{score.toFixed(2)}</td>
              <td className={styles['wide']}>
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" className={styles['score']}>
                  <rect x="0" y="0" width={100 * score} height="8" />
                </svg>
              </td>
              <td className={styles['number']}>{shortfall === 0 ? '' : shortfall.toFixed(2)}</td>
              <td>{words(reason ?? outcome)}</td>
              <td className={styles['soft']}>{termWords(terms, notes)}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </section>
  );
}

/** `floor 0.35, open yes`: a term without a value says why it has none. */
function termWords(terms: Evidence['candidates'][number]['terms'], notes: Readonly<Record<string, string>>): string {
  return Object.entries(terms)
    .map(
      ([name, value]) =>
        `${words(name)} ${value === null ? words(notes[name] ?? 'not reported') : Number.isInteger(value) ? value : value.toFixed(2)}`,
    )
    .join(', ');
}
