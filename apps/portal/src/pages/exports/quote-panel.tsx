import { counted, words } from '@market-state/packet-figures';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SymbolSources } from '../../conditions/symbol-sources';
import sheet from '../../theme/sheet.module.css';
import { clock, clockSpan } from '../../time/clock';
import styles from './exports.module.css';
import { sizeWords } from './size-words';
import { type QuotedOrder, usePlaceOrder } from './use-exports';

/** What an order would hold and cost at most, and the button that makes it. */
export function QuotePanel({ quoted, onPlaced }: { readonly quoted: QuotedOrder; readonly onPlaced: (jobId: string) => void }) {
  const { mutate, isPending, isSuccess, error } = usePlaceOrder(onPlaced);
  const { estimate, maxExportCredits, expiresAtUtc } = quoted.quote;
  const { export_plan: plan, would_be_refused_with: refusal, export_credits_after: left } = estimate;
  return (
    <div className={styles['quote']} role="status">
      <SymbolSources symbols={quoted.order.symbols} />
      {plan === undefined ? null : (
        <dl className={styles['totals']}>
          <Total name="rows at most" value={plan.row_total.toLocaleString('en-US')} />
          <Total name="about" value={sizeWords(plan.byte_total)} />
          <Total name={plan.part_total === 1 ? 'data file' : 'data files'} value={plan.part_total.toLocaleString('en-US')} />
          <Total name="export credits at most" value={maxExportCredits.toLocaleString('en-US')} />
        </dl>
      )}
      <p>
        {plan === undefined ? '' : `Rows from ${clockSpan(Date.parse(plan.request.from_utc), Date.parse(plan.request.to_utc))}. `}
        {refusal === null
          ? `${counted(left, 'export credit')} would be left. What the files do not need of them is given back, and a job that fails costs nothing.`
          : `It would be refused now: ${words(refusal)}.`}
      </p>
      <p className={sheet['actions']}>
        <button type="button" className={sheet['go']} disabled={isPending || isSuccess || refusal !== null} onClick={() => mutate(quoted)}>
          {isPending ? 'Ordering…' : `Order it, at most ${counted(maxExportCredits, 'export credit')}`}
        </button>
        <span className={sheet['soft']}>this price is bound until {clock(Date.parse(expiresAtUtc), 'time')}</span>
      </p>
      {error === null ? null : <ProblemNotice error={error} />}
    </div>
  );
}

function Total({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
