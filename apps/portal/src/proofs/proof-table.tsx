import sheet from '../theme/sheet.module.css';
import { clockBelow, zoned } from '../time/clock';
import type { Proofs } from './proof-queries';
import styles from './proofs.module.css';

type Proof = Proofs['proofs'][number];

/** A service's claims about itself are not proof, so each line has a check that readers can run. */
export function ProofTable({ proofs }: { readonly proofs: readonly Proof[] }) {
  return (
    <table className={`${sheet['cards'] ?? ''} ${styles['proofs'] ?? ''}`}>
      <thead>
        <tr>
          <th scope="col">Proof</th>
          <th scope="col">Result</th>
          <th scope="col">{zoned('Checked')}</th>
          <th scope="col">Check it yourself</th>
        </tr>
      </thead>
      <tbody>
        {proofs.map((each) => (
          <ProofRow key={each.proof_id} proof={each} />
        ))}
      </tbody>
    </table>
  );
}

const RESULTS: Readonly<Record<Proof['check_state'], string>> = {
  passed: '✓ holds',
  failed: '✗ failed',
  not_checked: '· not checked',
};

function ProofRow({ proof: { title, claim, check_state: state, checked_at_utc: at, detail, own_check: own } }: { readonly proof: Proof }) {
  return (
    <tr data-state={state}>
      <th scope="row">
        {title}
        <span className={styles['soft']}>{claim}</span>
      </th>
      <td data-column="Result">
        {RESULTS[state]}
        {state === 'passed' ? null : <span className={styles['soft']}>{detail}</span>}
      </td>
      <td data-column={zoned('Checked')}>{at === null ? 'not in this response' : clockBelow(Date.parse(at), 'time')}</td>
      <td data-column="Check it yourself">
        <span className={styles['soft']}>{own}</span>
      </td>
    </tr>
  );
}
