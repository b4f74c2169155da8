import type { ReactNode } from 'react';
import { ProblemNotice } from '../../conditions/problem-notice';
import records from '../../controls/records.module.css';
import sheet from '../../theme/sheet.module.css';

interface ListSectionProps {
  readonly title: string;
  /** What one of them is. */
  readonly note: string;
  /** What muting one costs, in words. */
  readonly muting: string;
  readonly error: unknown;
  /** Heads of the columns between the name and what can be done. */
  readonly heads: readonly string[];
  /** Its rows. */
  readonly children: ReactNode;
}

/** A list of what is saved, as a table; at phone width each row becomes a card. */
export function ListSection({ title, note, muting, error, heads, children }: ListSectionProps) {
  return (
    <section aria-label={title}>
      <div className={sheet['bar']}>
        <h2>
          {title} <span className={sheet['soft']}>{note}</span>
        </h2>
        <span className={sheet['push']} />
        <span className={sheet['soft']}>muting {muting}</span>
      </div>
      {error === null ? null : <ProblemNotice error={error} />}
      <table className={records['table']}>
        <caption className="visually-hidden">{title}, newest first</caption>
        <thead>
          <tr>
            {['Name', ...heads].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            <th scope="col">
              <span className="visually-hidden">What can be done</span>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
