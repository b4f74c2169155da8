import { DelayedPackets } from './delayed-packets';
import { AnswerSection } from '../../conditions/answer-section';
import styles from './home.module.css';
import { type Construction, useConstruction } from './home-queries';
import { useProofs, useRelease } from '../../proofs/proof-queries';
import { ProofTable } from '../../proofs/proof-table';
import { clock } from '../../time/clock';

/** What the service checks of itself, and whether what runs is what was built. */
function OwnProofs() {
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

/** How one of the delayed packets was made, step by step. */
function ConstructionSteps() {
  return (
    <AnswerSection
      title="How one of them was made"
      query={useConstruction()}
      checkedUtc={({ generated_at_utc: at }) => at}
      show={(construction) => <Steps construction={construction} />}
    />
  );
}

/** Its commands are for a terminal, and need a key. */
const LEFT_OUT = 'sdk_first_integration';

function Steps({ construction: { rows, run_display_label: label } }: { readonly construction: Construction }) {
  return (
    <>
      <p className={styles['soft']}>{label}</p>
      <ol className={styles['steps']}>
        {rows
          .filter(({ construction_step_id: step }) => step !== LEFT_OUT)
          .map(({ row_id: id, title, buyer_answer: answer }) => (
            <li key={id}>
              <h3>{title}</h3>
              <p>{answer}</p>
            </li>
          ))}
      </ol>
    </>
  );
}

/** What this service shows of itself without a key, below the check that needs nothing of it. */
export default function Evidence() {
  return (
    <>
      <DelayedPackets />
      <ConstructionSteps />
      <OwnProofs />
    </>
  );
}
