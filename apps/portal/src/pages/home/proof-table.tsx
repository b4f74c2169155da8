import { utc } from '@market-state/packet-figures';
import { WideTable } from '../../figures/wide-table';
import styles from './home.module.css';
import { type Proof, useProof, useRelease } from './home-queries';
import { PublicSection } from './public-section';

/** What the service has checked of itself, and when; what it says of itself is no proof, so each line has a check of one's own. */
export function ProofTable() {
  return (
    <PublicSection
      title="What the service checks of itself"
      query={useProof()}
      checkedUtc={({ as_of_utc: at }) => at}
      show={(proof) => (
        <>
          <WideTable label="Proofs">
            <thead>
              <tr>
                <th scope="col">Proof</th>
                <th scope="col">Result</th>
                <th scope="col">Checked, UTC</th>
                <th scope="col">Check it yourself</th>
              </tr>
            </thead>
            <tbody>
              {proof.proofs.map((each) => (
                <ProofRow key={each.proof_id} proof={each} />
              ))}
            </tbody>
          </WideTable>
          <ReleaseLine />
        </>
      )}
    />
  );
}

const RESULTS: Readonly<Record<Proof['proofs'][number]['check_state'], string>> = {
  passed: '✓ holds',
  failed: '✗ does not hold',
  not_checked: '· not checked',
};

function ProofRow({
  proof: { title, claim, check_state: state, checked_at_utc: at, own_check: own },
}: {
  readonly proof: Proof['proofs'][number];
}) {
  return (
    <tr data-state={state}>
      <th scope="row">
        {title}
        <span className={styles['soft']}>{claim}</span>
      </th>
      <td data-column="Result">{RESULTS[state]}</td>
      <td data-column="Checked, UTC">{at === null ? 'not for this answer' : utc(Date.parse(at)).slice(11)}</td>
      <td data-column="Check it yourself" className={styles['soft']}>
        {own}
      </td>
    </tr>
  );
}

function ReleaseLine() {
  const { data } = useRelease();
  if (data === undefined) return null;
  return (
    <p className={styles['soft']}>
      {data.meta.response_semantics.status_text} Release <code>{data.public_release_fingerprint?.slice(0, 12) ?? 'not recorded'}</code>,
      checked {utc(Date.parse(data.release_contract_generated_at_utc))} UTC.
    </p>
  );
}
