import type { ReactNode } from 'react';
import sheet from '../../theme/sheet.module.css';
import type { Construction } from './how-queries';
import styles from './how.module.css';
import { stepAnchor } from './step-flow';

interface StepSectionProps {
  readonly step: Construction['rows'][number] | undefined;
  readonly children: ReactNode;
}

/** One step of the making of a packet: its question, the answer for this packet, and the numbers behind it. */
export function StepSection({ step, children }: StepSectionProps) {
  if (step === undefined) return null;
  return (
    <section
      id={stepAnchor(step.construction_step_id)}
      className={`${sheet['panel'] ?? ''} ${styles['step'] ?? ''}`}
      aria-label={step.title}
    >
      <h2>
        {step.row_order}. {step.title} <span className={sheet['soft']}>{step.buyer_question}</span>
      </h2>
      <p>{step.buyer_answer}</p>
      {children}
    </section>
  );
}
