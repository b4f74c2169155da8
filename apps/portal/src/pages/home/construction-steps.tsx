import { AnswerSection } from '../../conditions/answer-section';
import styles from './home.module.css';
import { type Construction, useConstruction } from './home-queries';

/** How one of the delayed packets was made, step by step. */
export function ConstructionSteps() {
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
