import { counted } from '@market-state/packet-figures';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SourceRibbon } from '../../conditions/source-ribbon';
import { SpanChoice } from '../../controls/span-choice';
import { SpendButton } from '../../controls/spend-button';
import { service } from '../../service/client';
import type { Span } from '../../service/url-span';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import { FiringChart } from './firing-chart';
import { NAMES, OutcomeTable } from './outcome-table';
import { type Rule, ruleLack, ruleWords, settingWords, toWire } from './rule';
import { RuleFields, SettingFields } from './rule-form';
import { SaveAlert } from './save-alert';
import { historyCredits } from './use-alerts';
import { useRehearsal } from './use-rehearsal';

interface WorkbenchProps {
  readonly rule: Rule;
  /** The other setting of it; null where only one is tried. */
  readonly other: Rule | null;
  readonly span: Span;
  readonly onRule: (rule: Rule) => void;
  readonly onOther: (other: Rule | null) => void;
  readonly onSpan: (span: Span) => void;
}

/** Longest span that is loaded at once: a day. */
const SPAN_MS_MAX = 86_400_000;
/** Kinds of response of rows, by the kind of their source. */
const SOURCES: Readonly<Record<string, string>> = { recorded: 'recorded_replay', simulated: 'synthetic' };

/** A rule in one or two settings, tried on history: here while sliders move, and by the service to confirm. */
export function Workbench({ rule, other, span, onRule, onOther, onSpan }: WorkbenchProps) {
  const rules = other === null ? [rule] : [rule, other];
  const tried = useRehearsal(span, rules);
  const { history, here, there } = tried;
  const shown = here ?? there;
  const lack = rules.map(ruleLack).find((each) => each !== '');
  return (
    <section className={sheet['panel']} aria-label="Rehearsal">
      <div className={sheet['head']}>
        <h2>
          Rehearse a rule <span className={sheet['soft']}>on what has happened, by the code that runs live</span>
        </h2>
        {other === null ? (
          <button type="button" onClick={() => onOther({ ...rule })}>
            Compare with another setting
          </button>
        ) : (
          <button type="button" onClick={() => onOther(null)}>
            Drop setting B
          </button>
        )}
      </div>
      <RuleFields rule={rule} onChange={onRule} />
      <div className={styles['settings']}>
        {rules.map((each, index) => (
          <fieldset key={NAMES[index]} className={styles['setting']}>
            <legend>{other === null ? 'When it is told' : `${NAMES[index]}, ${ruleWords(each)}`}</legend>
            {index === 1 && hasThreshold(each) ? <RuleFields rule={each} onChange={onOther} /> : null}
            <SettingFields rule={each} onChange={index === 0 ? onRule : onOther} />
          </fieldset>
        ))}
      </div>
      <SpanChoice span={span} onChoose={onSpan} longestMs={SPAN_MS_MAX} action="Take this span" note="free" />
      {lack === undefined ? null : <p className={sheet['soft']}>{lack}</p>}
      {tried.isWhole && !tried.runsHere ? (
        <p className={sheet['soft']}>Rows of history do not have what this rule reads, so only the service can try it.</p>
      ) : null}
      <p className={sheet['actions']}>
        {tried.runsHere && (history.data === undefined || tried.isSame === false) ? (
          <SpendButton
            action="Load the history"
            busy="Loading…"
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
          <SourceRibbon states={history.data.rows.map(({ source_kind: kind }) => SOURCES[kind] ?? kind)} />
          <FiringChart rows={history.data.rows} span={span} rules={rules} outcomes={shown ?? []} />
        </>
      )}
      {shown === null ? null : <OutcomeTable rules={rules} outcomes={shown} />}
      {lack === undefined ? (
        <div className={styles['settings']}>
          {rules.map((each, index) => (
            <SaveAlert
              key={`${NAMES[index] ?? ''} ${span.symbol} ${ruleWords(each)} ${settingWords(each)}`}
              rule={each}
              symbol={span.symbol}
              setting={other === null ? null : (NAMES[index] ?? null)}
            />
          ))}
        </div>
      ) : null}
    </section>
  );
}

/** Whether the two settings of a rule may differ in what it looks at, not only in when it is told. */
function hasThreshold({ kind }: Rule): boolean {
  return kind === 'severity_at_least' || kind === 'score_change' || kind === 'feed_stale';
}

function confirmedWords(isSame: boolean | null, packets: number | null, isHere: boolean): string {
  if (packets === null) return '';
  const looked = `the service looked at ${counted(packets, 'packet')}`;
  if (isSame === null) return isHere ? '' : looked;
  return isSame
    ? `Confirmed: ${looked} and sent the same messages.`
    : `Not the same: ${looked}. Load the history again; packets may have come since.`;
}
