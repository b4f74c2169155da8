import { useRef, useState } from 'react';
import { ProblemNotice } from '../../conditions/problem-notice';
import { BOUNDS } from '../../generated/bounds';
import type { Span } from '../../service/url-span';
import sheet from '../../theme/sheet.module.css';
import { AlertDestination } from './alert-destination';
import styles from './alerts.module.css';
import { changesOf } from './changes';
import { RehearsalView } from './rehearsal-view';
import { type Rule, toWire } from './rule';
import { Text } from './rule-controls';
import { type Faults, faultsAt, isSaidAtRules, refusedFields, ruleFaults } from './rule-faults';
import { RuleForm } from './rule-fields';
import { SaveDraft, toFirstFault } from './save-draft';
import { type AlertRecord, costWords, useUpdateAlert } from './use-alerts';

interface EditAlertProps {
  readonly alert: AlertRecord;
  /** Its rule as it is saved. */
  readonly saved: Rule;
  readonly rule: Rule;
  readonly span: Span;
  readonly onRule: (rule: Rule) => void;
  readonly onSpan: (span: Span) => void;
  readonly onClose: () => void;
}

const NAMES = ['the saved rule', 'the changed rule'] as const;

/** An alert that is saved, changed in place: rehearsed as it is and as it would be, side by side. */
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
    <section ref={place} className={sheet['panel']} aria-label="Edit the alert">
      <div className={sheet['head']}>
        <h2>
          {alert.name} <span className={sheet['soft']}>on {alert.symbol}; for another symbol make another alert</span>
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
          <input type="checkbox" checked={muted} onChange={({ target }) => setMuted(target.checked)} /> muted: no message is sent
        </label>
      </RuleForm>
      <RehearsalView
        rules={isSameRule ? [saved] : [saved, rule]}
        names={NAMES}
        span={span}
        onSpan={onSpan}
        onRules={isSameRule ? [onRule] : [null, onRule]}
      />
      <AlertDestination symbols={[alert.symbol]} />
      <SaveDraft
        changes={changes}
        action="Save the changes"
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
  return new Map([...(name.trim() === '' ? ([['name', 'Give it a name.']] as const) : []), ...ruleFaults(rule)]);
}
