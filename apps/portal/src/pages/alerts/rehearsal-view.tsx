import { WINDOW_MS } from '@market-state/alert-rules/rehearsal';
import { counted } from '@market-state/packet-figures';
import { useMemo } from 'react';
import { Empty, Outline, ProblemNotice } from '../../status-components/conditions';
import { SourceRibbon, responseOfSource } from '../../status-components/source-ribbon';
import { SpanChoice } from '../../controls/time-field';
import { SpendButton } from '../../controls/buttons';
import { service } from '../../service/client';
import type { Span } from '../../service/url-state';
import { marketWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import { FiringChart, OutcomeTable } from './rehearsal-outcomes';
import { type Rule, toWire, canRunHere } from './rule';
import { historyCredits, useConfirm, useHistory } from './use-alerts';
import { isSameOutcome, type Outcome, outcomeHere, outcomeThere, rehearseHere, calmerSettings } from './rehearse-here';
import { ruleFaults } from './rule-faults';

interface CalmerChoiceProps {
  readonly rule: Rule;
  readonly name: string;
  readonly outcome: Outcome;
  readonly onChoose: (rule: Rule) => void;
}

function CalmerChoice({ rule, name, outcome, onChoose }: CalmerChoiceProps) {
  const calmer = calmerSettings(outcome, rule.minConsecutive);
  if (calmer.length === 0) return null;
  return (
    <p className={sheet['actions']}>
      <span className={sheet['soft']}>Calmer in this span{name === '' ? '' : `, for ${name}`}:</span>
      {calmer.map(({ minConsecutive, triggered, flaps }) => (
        <button key={minConsecutive} type="button" onClick={() => onChoose({ ...rule, minConsecutive })}>
          after {minConsecutive} packets in a row: fired {triggered}, flapped {flaps}
        </button>
      ))}
      <span className={sheet['soft']}>each further packet in a row delays the alert by {counted(WINDOW_MS / 1_000, 'second')}</span>
    </p>
  );
}

/** Runs rules in this browser as they change, and on the server on request. */
function useRehearsal(span: Span, rules: readonly Rule[]) {
  const history = useHistory(span, rules);
  const confirming = useConfirm();
  const rulesText = JSON.stringify(rules);
  const isWhole = rules.every((rule) => ruleFaults(rule).size === 0);
  const runsHere = isWhole && rules.every(canRunHere);
  const here = useMemo((): readonly Outcome[] | null => {
    if (!runsHere || history.data === undefined) return null;
    const made = rehearseHere(rules, history.data, Math.min(span.toMs, Date.now()));
    return rules.flatMap((rule, index) => {
      const result = made[index];
      return result === undefined ? [] : [outcomeHere(result, rule)];
    });
    // Rules are new objects on each read of the address; their text detects real changes.
  }, [rulesText, runsHere, history.data, span.toMs]);

  const singles = useMemo((): readonly (Outcome['notices'] | null)[] => {
    if (!runsHere || history.data === undefined) return [];
    const alone = rules.map((rule) => ({ ...rule, minConsecutive: 1 }));
    const made = rehearseHere(alone, history.data, Math.min(span.toMs, Date.now()));
    return rules.map(({ minConsecutive }, index) => {
      const [result, rule] = [made[index], alone[index]];
      return minConsecutive === 1 || result === undefined || rule === undefined ? null : outcomeHere(result, rule).notices;
    });
  }, [rulesText, runsHere, history.data, span.toMs]);

  // A server result only applies to the span and rules that were sent.
  const requested = confirming.variables;
  const isOfThese = requested !== undefined && JSON.stringify([requested.span, requested.rules]) === JSON.stringify([span, rules]);
  const there = useMemo((): readonly Outcome[] | null => {
    if (confirming.data === undefined || !isOfThese) return null;
    return rules.flatMap((rule, index) => {
      const found = confirming.data.rules.find(({ rule_index: at }) => at === index);
      return found === undefined ? [] : [outcomeThere(found, rule)];
    });
  }, [confirming.data, isOfThese, rulesText]);
  const isSame =
    here === null || there === null
      ? null
      : here.every((outcome, index) => there[index] !== undefined && isSameOutcome(outcome, there[index]));
  return {
    history,
    isWhole,
    runsHere,
    here,
    singles,
    there,
    isSame,
    packets: there === null ? null : (confirming.data?.packets_looked_at ?? null),
    confirm: () => confirming.mutate({ span, rules }),
    isConfirming: confirming.isPending,
    confirmError: isOfThese ? confirming.error : null,
  };
}

const HOUR_MS = 3_600_000;
const SPAN_MS_MAX = 24 * HOUR_MS;
const NEWEST = [
  ['hour', HOUR_MS],
  ['6 hours', 6 * HOUR_MS],
  ['day', SPAN_MS_MAX],
] as const;

interface RehearsalViewProps {
  readonly rules: readonly Rule[];
  readonly names: readonly string[];
  readonly span: Span;
  readonly onSpan: (span: Span) => void;
  /** Null for a rule that cannot be changed here. */
  readonly onRules: readonly (((rule: Rule) => void) | null)[];
}

export function RehearsalView({ rules, names, span, onSpan, onRules }: RehearsalViewProps) {
  const tried = useRehearsal(span, rules);
  const { history, here, there } = tried;
  const shown = here ?? there;
  return (
    <>
      <SpanOfRehearsal span={span} onSpan={onSpan} />
      {tried.isWhole && !tried.runsHere ? (
        <p className={sheet['soft']}>The history lacks data that this rule reads, so it can only be tested on the server.</p>
      ) : null}
      <p className={sheet['actions']}>
        {tried.runsHere && (history.data === undefined || tried.isSame === false) ? (
          <SpendButton
            action="Test in browser"
            busy="Loading history…"
            creditsAtMost={historyCredits(span, rules)}
            isBusy={history.isFetching}
            onPress={() => void history.refetch()}
          />
        ) : null}
        {tried.isWhole ? (
          <SpendButton
            action={here === null ? 'Test on server' : 'Confirm on server'}
            busy="Testing…"
            creditsAtMost={service.creditsAtMost('rehearseAlerts', { symbols: [span.symbol], rules: rules.map(toWire) })}
            isBusy={tried.isConfirming}
            onPress={tried.confirm}
          />
        ) : null}
        <span role="status" className={tried.isSame === false ? sheet['fault'] : sheet['soft']}>
          {confirmedWords(tried.isSame, tried.packets, here !== null)}
        </span>
      </p>
      <ProblemNotice error={history.error} retry={() => void history.refetch()} />
      <ProblemNotice error={tried.confirmError} />
      {history.isFetching ? <Outline rows={6} label="Loading history" /> : null}
      {history.data?.rows.length === 0 ? (
        <Empty why={`No packets of ${marketWords(span.symbol)} are stored for this span.`}>
          Choose another span; the status page lists the stored data.
        </Empty>
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

function SpanOfRehearsal({ span, onSpan }: Pick<RehearsalViewProps, 'span' | 'onSpan'>) {
  const toNewest = (lengthMs: number): void => {
    const toMs = Math.floor(Date.now() / 10_000) * 10_000;
    onSpan({ ...span, fromMs: toMs - lengthMs, toMs });
  };
  return (
    <div className={styles['span']}>
      <span className={sheet['soft']}>Test on the last</span>
      {NEWEST.map(([word, lengthMs]) => (
        <button key={word} type="button" aria-pressed={span.toMs - span.fromMs === lengthMs} onClick={() => toNewest(lengthMs)}>
          {word}
        </button>
      ))}
      <details>
        <summary>or another span</summary>
        <SpanChoice span={span} onChoose={onSpan} longestMs={SPAN_MS_MAX} action="Use this span" note="free" hasSymbol={false} />
      </details>
    </div>
  );
}

function confirmedWords(isSame: boolean | null, packets: number | null, isHere: boolean): string {
  if (packets === null) return '';
  const looked = `the server evaluated ${counted(packets, 'packet')}`;
  if (isSame === null) return isHere ? '' : looked;
  return isSame
    ? `Confirmed: ${looked} and sent the same messages.`
    : `Results differ: ${looked}. Reload the history; new packets may have arrived.`;
}
