import { Table } from '../controls/table';
import sheet from '../theme/sheet.module.css';
import { clockBelow, zoned } from '../time/clock';
import type { Proofs } from './proof-queries';
import styles from './proofs.module.css';

type Proof = Proofs['proofs'][number];

/** A service's claims about itself are not proof, so each line has a check that readers can run. */
export function ProofTable({ proofs }: { readonly proofs: readonly Proof[] }) {
  return (
    <Table
      className={`${sheet['cards'] ?? ''} ${styles['proofs'] ?? ''}`}
      rows={proofs}
      keyOf={({ proof_id: id }) => id}
      rowProps={({ check_state: state }) => ({ 'data-state': state })}
      columns={[
        {
          head: 'Proof',
          cell: ({ title, claim }) => (
            <>
              {title}
              <span className={styles['soft']}>{claim}</span>
            </>
          ),
        },
        {
          head: 'Result',
          cell: ({ check_state: state, detail }) => (
            <>
              {RESULTS[state]}
              {state === 'passed' ? null : <span className={styles['soft']}>{detail}</span>}
            </>
          ),
        },
        {
          head: zoned('Checked'),
          cell: ({ checked_at_utc: at }) => (at === null ? 'not in this response' : clockBelow(at, 'time')),
        },
        { head: 'Check it yourself', cell: ({ own_check: own }) => <span className={styles['soft']}>{own}</span> },
      ]}
    />
  );
}

const RESULTS: Readonly<Record<Proof['check_state'], string>> = {
  passed: '✓ holds',
  failed: '✗ failed',
  not_checked: '· not checked',
};
