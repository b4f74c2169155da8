import { AnswerSection } from '../../conditions/answer-section';
import { useProofs, useRelease } from '../../proofs/proof-queries';
import { ProofTable } from '../../proofs/proof-table';
import { clock } from '../../time/clock';
import styles from './home.module.css';

/** What the service checks of itself, and whether what runs is what was built. */
export function OwnProofs() {
  return (
    <AnswerSection
      title="What the service checks of itself"
      query={useProofs()}
      checkedUtc={({ as_of_utc: at }) => at}
      show={({ proofs }) => (
        <>
          <ProofTable proofs={proofs} />
          <ReleaseLine />
        </>
      )}
    />
  );
}

function ReleaseLine() {
  const { data } = useRelease();
  if (data === undefined) return null;
  return (
    <p className={styles['soft']}>
      {data.meta.response_semantics.status_text} Release <code>{data.public_release_fingerprint?.slice(0, 12) ?? 'not recorded'}</code>,
      checked {clock(Date.parse(data.release_contract_generated_at_utc))}.
    </p>
  );
}
