import type { Construction } from './how-queries';
import styles from './how.module.css';

export const stepAnchor = (stepId: string): string => `step-${stepId}`;

/** The six steps in a row; each leads to its part of the page. */
export function StepFlow({ steps }: { readonly steps: Construction['rows'] }) {
  return (
    <ol className={styles['flow']} aria-label="The six steps">
      {steps.map(({ construction_step_id: id, row_order: order, title, buyer_question: question }) => (
        <li key={id}>
          <a href={`#${stepAnchor(id)}`}>
            <b>
              {order}. {title}
            </b>
            <span>{question}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}
