import { counted } from '@market-state/packet-figures';
import { ProblemNotice } from '../../../conditions/problem-notice';
import styles from '../../../market/flow.module.css';
import { LadderView } from '../../../market/ladder-view';
import { TapeView } from '../../../market/tape-view';
import { useFlow } from './use-flow';

/** Book and trades, drawn apart from the charts: they change far more often. */
export function FlowPanes({ symbol }: { readonly symbol: string }) {
  const { flow, failure, goOn } = useFlow(symbol);
  const unit = symbol.replace(/USD-PERP$/, '');
  const missing = [
    flow.skippedTotal === 0 ? '' : `${counted(flow.skippedTotal, 'row')} skipped: this reader was too slow`,
    flow.gapTotal === 0 ? '' : `${counted(flow.gapTotal, 'gap')} of the feed`,
  ].filter((words) => words !== '');
  return (
    <>
      {failure === null ? null : <ProblemNotice error={failure} retry={goOn} />}
      {missing.length === 0 ? null : <p className={styles['missing']}>{missing.join('; ')}.</p>}
      <LadderView flow={flow} unit={unit} />
      <TapeView flow={flow} unit={unit} empty="No trade since this page was opened." />
    </>
  );
}
