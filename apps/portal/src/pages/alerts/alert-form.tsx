import { onForm } from '../../account/form';
import { useRef, useState } from 'react';
import { useSymbols } from '../../service/use-catalog';
import type { Span } from '../../service/url-state';
import { useRoleGap } from '../../service/session';
import { marketWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import { KindChoice, KindFields, RuleForm, SettingFields } from './rule-fields';
import { RehearsalView } from './rehearsal-view';
import { type Rule, ruleWords, settingWords, toWire, changesOf } from './rule';
import { Choice, Text } from './rule-controls';
import { ruleFaults, refusedFields, type Faults, faultsAt, isSaidAtRules } from './rule-faults';
import { Field } from '../../account/field';
import { ProblemNotice } from '../../status-components/conditions';
import { BOUNDS } from '../../generated/bounds';
import { AlertDestination } from './alert-destination';
import { costWords, useCreateAlert, type AlertRecord, useUpdateAlert } from './use-alerts';
import { SaveDraft, toFirstFault } from './save-draft';

interface EditAlertProps {
  readonly alert: AlertRecord;
  readonly saved: Rule;
  readonly rule: Rule;
  readonly span: Span;
  readonly onRule: (rule: Rule) => void;
  readonly onSpan: (span: Span) => void;
  readonly onClose: () => void;
}

const SAVED_AND_CHANGED = ['the saved rule', 'the changed rule'] as const;

/** Rehearses the saved and the changed rule side by side. */
export function EditAlert({ alert, saved, rule, span, onRule, onSpan, onClose }: EditAlertProps) {
  const { mutate, isPending, isSuccess, error } = useUpdateAlert();
  const [name, setName] = useState(alert.name);
  const [muted, setMuted] = useState(alert.muted);
  const before = { name: alert.name, symbols: [alert.symbol], rules: [saved], muted: alert.muted };
  const own = ownFaults(name, rule);
  const changes = own.size > 0 ? null : changesOf(before, { ...before, name: name.trim(), rules: [rule], muted });
  const refused = refusedFields(error);
  const isSameRule = JSON.stringify(toWire(rule)) === JSON.stringify(toWire(saved));
  const undo = (): void => {
    setName(alert.name);
    setMuted(alert.muted);
    onRule(saved);
  };
  const place = useRef<HTMLElement>(null);
  const save = (): void => {
    if (own.size > 0) return toFirstFault(place.current);
    mutate({ alert_id: alert.alert_id, name: name.trim(), muted, ...(isSameRule ? {} : { rule: toWire(rule) }) });
  };
  return (
    <section ref={place} className={sheet['panel']} aria-label="Edit alert">
      <div className={sheet['head']}>
        <h2>
          {alert.name} <span className={sheet['soft']}>on {marketWords(alert.symbol)}; to watch another symbol, create another alert</span>
        </h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <RuleForm rule={rule} faults={new Map([...faultsAt(refused, 'rule'), ...ruleFaults(rule)])} onChange={onRule}>
        <Text
          label="Name"
          value={name}
          maxLength={BOUNDS.AlertRequest.name.maxLength}
          autoComplete="off"
          fault={own.get('name') ?? refused.get('name')}
          onType={setName}
        />
        <label className={styles['check']}>
          <input type="checkbox" checked={muted} onChange={({ target }) => setMuted(target.checked)} /> Muted: no messages are sent
        </label>
      </RuleForm>
      <RehearsalView
        rules={isSameRule ? [saved] : [saved, rule]}
        names={SAVED_AND_CHANGED}
        span={span}
        onSpan={onSpan}
        onRules={isSameRule ? [onRule] : [null, onRule]}
      />
      <AlertDestination symbols={[alert.symbol]} />
      <SaveDraft
        changes={changes}
        action="Save changes"
        isSending={isPending}
        isSaved={isSuccess}
        faults={own.size}
        cost={costWords('updateAlert', { alert_id: alert.alert_id })}
        onSave={save}
        onUndo={undo}
      />
      {error === null || isSaidAtRules(error, ['name']) ? null : <ProblemNotice error={error} />}
    </section>
  );
}

function ownFaults(name: string, rule: Rule): Faults {
  return new Map([...(name.trim() === '' ? ([['name', 'Enter a name.']] as const) : []), ...ruleFaults(rule)]);
}

interface SaveAlertProps {
  readonly rule: Rule;
  readonly symbol: string;
  readonly setting: string | null;
}

const NAME = BOUNDS.AlertRequest.name;

function SaveAlert({ rule, symbol, setting }: SaveAlertProps) {
  const { mutate, isPending, isSuccess, error } = useCreateAlert();
  const gap = useRoleGap('member');
  const submit = onForm((form) => mutate({ name: String(form.get('name')).trim(), symbol, rule: toWire(rule) }));
  const fault = refusedFields(error).get('name');
  return (
    <form onSubmit={submit} className={styles['save']}>
      <Field
        label={`Alert name${setting === null ? '' : ` for setting ${setting}`}`}
        name="name"
        required
        maxLength={NAME.maxLength}
        autoComplete="off"
        defaultValue={`${marketWords(symbol)} ${ruleWords(rule)}`.slice(0, NAME.maxLength)}
        fault={fault}
      />
      <AlertDestination symbols={[symbol]} />
      <p className={sheet['actions']}>
        <button type="submit" className={sheet['go']} disabled={isPending || gap !== undefined}>
          {isPending ? 'Saving…' : 'Save as alert'}
        </button>
        <span className={sheet['soft']}>{gap ?? costWords('createAlert', { name: '', symbol, rule: toWire(rule) })}</span>
        <span role="status">{isSuccess ? `Saved. It triggers ${settingWords(rule)}.` : ''}</span>
      </p>
      {error === null || (fault !== undefined && refusedFields(error).size === 1) ? null : <ProblemNotice error={error} />}
    </form>
  );
}

interface WorkbenchProps {
  readonly rule: Rule;
  readonly other: Rule | null;
  readonly span: Span;
  readonly onRule: (rule: Rule) => void;
  readonly onOther: (other: Rule | null) => void;
  readonly onSpan: (span: Span) => void;
}

const NAMES = ['A', 'B'] as const;
const ONLY = ['the rule'] as const;

export function Workbench({ rule, other, span, onRule, onOther, onSpan }: WorkbenchProps) {
  const rules = other === null ? [rule] : [rule, other];
  const symbols = <SymbolChoice symbol={span.symbol} onChoose={(symbol) => onSpan({ ...span, symbol })} />;
  return (
    <section className={sheet['panel']} aria-label="New alert">
      <div className={sheet['head']}>
        <h2>
          New alert <span className={sheet['soft']}>test it on past data with the code that runs live</span>
        </h2>
        {other === null ? (
          <button type="button" onClick={() => onOther({ ...rule })}>
            Compare with another setting
          </button>
        ) : (
          <button type="button" onClick={() => onOther(null)}>
            Remove setting B
          </button>
        )}
      </div>
      {other === null ? (
        <RuleForm rule={rule} faults={ruleFaults(rule)} onChange={onRule}>
          {symbols}
        </RuleForm>
      ) : (
        <>
          <div className={styles['fields']}>
            <KindChoice rule={rule} faults={ruleFaults(rule)} onChange={onRule} />
            {symbols}
          </div>
          <div className={styles['settings']}>
            {rules.map((each, index) => {
              const fields = { rule: each, faults: ruleFaults(each), onChange: index === 0 ? onRule : onOther };
              return (
                <fieldset key={NAMES[index]} className={styles['setting']}>
                  <legend>Setting {NAMES[index]}</legend>
                  <div className={styles['fields']}>
                    <KindFields {...fields} />
                  </div>
                  <SettingFields {...fields} />
                </fieldset>
              );
            })}
          </div>
        </>
      )}
      <RehearsalView rules={rules} names={other === null ? ONLY : NAMES} span={span} onSpan={onSpan} onRules={[onRule, onOther]} />
      {rules.every((each) => ruleFaults(each).size === 0) ? (
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

function SymbolChoice({ symbol, onChoose }: { readonly symbol: string; readonly onChoose: (symbol: string) => void }) {
  const names = useSymbols();
  const options = names.includes(symbol) ? names : [symbol, ...names];
  return <Choice label="on" value={symbol} options={options} say={marketWords} onChoose={onChoose} />;
}
