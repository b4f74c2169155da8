import { counted } from '@market-state/packet-figures';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { responseOfSource } from '../../conditions/source-words';
import { SpanChoice } from '../../controls/span-choice';
import { SpendButton } from '../../controls/spend-button';
import { service } from '../../service/client';
import type { Span } from '../../service/url-span';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import { CalmerChoice } from './calmer-choice';
import { FiringChart } from './firing-chart';
import { OutcomeTable } from './outcome-table';
import { type Rule, toWire } from './rule';
import { historyCredits } from './use-alerts';
import { useRehearsal } from './use-rehearsal';

const HOUR_MS = 3_600_000;
/** Longest span that is loaded at once: a day. */
const SPAN_MS_MAX = 24 * HOUR_MS;
const NEWEST = [
  ['hour', HOUR_MS],
  ['6 hours', 6 * HOUR_MS],
  ['day', SPAN_MS_MAX],
] as const;

interface RehearsalViewProps {
  readonly rules: readonly Rule[];
  /** What each of them is called. */
  readonly names: readonly string[];
  readonly span: Span;
  readonly onSpan: (span: Span) => void;
  /** Takes another setting of each of them; null for one that is not changed here. */
  readonly onRules: readonly (((rule: Rule) => void) | null)[];
}

/** Rules tried on history: here while they change, and by the service to confirm. */
export function RehearsalView({ rules, names, span, onSpan, onRules }: RehearsalViewProps) {
  const tried = useRehearsal(span, rules);
  const { history, here, there } = tried;
  const shown = here ?? there;
  return (
    <>
      <SpanOfRehearsal span={span} onSpan={onSpan} />
      {tried.isWhole && !tried.runsHere ? (
        <p className={sheet['soft']}>Rows of history do not have what this rule reads, so only the service can try it.</p>
      ) : null}
      <p className={sheet['actions']}>
        {tried.runsHere && (history.data === undefined || tried.isSame === false) ? (
          <SpendButton
            action="Rehearse it here"
            busy="Loading the history…"
            creditsAtMost={historyCredits(span, rules)}
            isBusy={history.isFetching}
            onPress={() => void history.refetch()}
          />
        ) : null}
        {tried.isWhole ? (
          <SpendButton
            action={here === null ? 'Try it by the service' : 'Confirm it by the service'}
            busy="Trying…"
            creditsAtMost={service.creditsAtMost('rehearseAlerts', { symbols: [span.symbol], rules: rules.map(toWire) })}
            isBusy={tried.isConfirming}
            onPress={tried.confirm}
          />
        ) : null}
        <span role="status" className={tried.isSame === false ? sheet['fault'] : sheet['soft']}>
          {confirmedWords(tried.isSame, tried.packets, here !== null)}
        </span>
      </p>
      {history.error === null ? null : <ProblemNotice error={history.error} retry={() => void history.refetch()} />}
      {tried.confirmError === null ? null : <ProblemNotice error={tried.confirmError} />}
      {history.isFetching ? <Outline rows={6} label="Loading the history" /> : null}
      {history.data?.rows.length === 0 ? (
        <Empty why={`No packet of ${span.symbol} is kept in this span.`}>Choose another one: the status page says what is kept.</Empty>
      ) : null}
      {history.data === undefined || history.data.rows.length === 0 ? null : (
        <>
          <SourceRibbon states={history.data.rows.map(({ source_kind: kind }) => responseOfSource(kind))} />
          <FiringChart rows={history.data.rows} span={span} names={names} rules={rules} outcomes={shown ?? []} singles={tried.singles} />
        </>
      )}
      {shown === null ? null : <OutcomeTable names={names} rules={rules} outcomes={shown} />}
      {rules.map((rule, index) => {
        const [outcome, onRule] = [shown?.[index], onRules[index] ?? null];
        const name = names[index] ?? '';
        return outcome === undefined || onRule === null ? null : (
          <CalmerChoice key={name} rule={rule} name={rules.length === 1 ? '' : name} outcome={outcome} onChoose={onRule} />
        );
      })}
    </>
  );
}

/** The newest hours by one press, any other span behind a line that says which it is. */
function SpanOfRehearsal({ span, onSpan }: Pick<RehearsalViewProps, 'span' | 'onSpan'>) {
  const toNewest = (lengthMs: number): void => {
    const toMs = Math.floor(Date.now() / 10_000) * 10_000;
    onSpan({ ...span, fromMs: toMs - lengthMs, toMs });
  };
  return (
    <div className={styles['span']}>
      <span className={sheet['soft']}>Rehearse it on the newest</span>
      {NEWEST.map(([word, lengthMs]) => (
        <button key={word} type="button" aria-pressed={span.toMs - span.fromMs === lengthMs} onClick={() => toNewest(lengthMs)}>
          {word}
        </button>
      ))}
      <details>
        <summary>or another span</summary>
        <SpanChoice span={span} onChoose={onSpan} longestMs={SPAN_MS_MAX} action="Take this span" note="free" hasSymbol={false} />
      </details>
    </div>
  );
}

function confirmedWords(isSame: boolean | null, packets: number | null, isHere: boolean): string {
  if (packets === null) return '';
  const looked = `the service looked at ${counted(packets, 'packet')}`;
  if (isSame === null) return isHere ? '' : looked;
  return isSame
    ? `Confirmed: ${looked} and sent the same messages.`
    : `Not the same: ${looked}. Load the history again; packets may have come since.`;
}
