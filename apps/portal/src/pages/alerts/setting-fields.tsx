import { DIRECTIONS, isMomentary, RULE_BOUNDS } from '@market-state/alert-rules/rehearsal';
import { counted } from '@market-state/packet-figures';
import { useState } from 'react';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import type { RuleFieldsProps } from './kind-fields';
import { type Rule, settingWords } from './rule';
import { Choice, Slider } from './rule-controls';
import type { Faults } from './rule-faults';

/** Sliders show the useful part of what the service takes; the number beside takes all of it. */
const USUAL_ROW_MAX = 30;
const USUAL_COOLDOWN_MAX = 3_600;
const DIRECTION_WORDS: Readonly<Record<string, string>> = { rise: 'it rises', fall: 'it falls', either: 'either way' };

/** When a rule that holds is told: how far back a change is measured, after how many packets, and how often at most. */
export function SettingFields({ rule, faults, onChange }: RuleFieldsProps) {
  const { kind, params } = rule;
  return (
    <div className={styles['fields']}>
      {kind === 'score_change' ? (
        <>
          <Choice
            label="Which way"
            value={String(params['direction'])}
            options={DIRECTIONS}
            say={(each) => DIRECTION_WORDS[each] ?? each}
            fault={faults.get('direction')}
            onChoose={(direction) => onChange({ ...rule, params: { ...params, direction } })}
          />
          <Slider
            label="Measured over so many packets of 10 s"
            value={Number(params['packets'])}
            {...RULE_BOUNDS.packets}
            step={1}
            fault={faults.get('packets')}
            onAmount={(packets) => onChange({ ...rule, params: { ...params, packets } })}
          />
        </>
      ) : null}
      {isMomentary(kind) ? null : (
        <Slider
          label="Packets in a row to fire, and to recover"
          value={rule.minConsecutive}
          {...RULE_BOUNDS.minConsecutive}
          slideMax={USUAL_ROW_MAX}
          step={1}
          fault={faults.get('min_consecutive')}
          onAmount={(minConsecutive) => onChange({ ...rule, minConsecutive })}
        />
      )}
      <Slider
        label="Seconds after a message in which no other is sent"
        value={rule.cooldownSeconds}
        {...RULE_BOUNDS.cooldownSeconds}
        slideMax={USUAL_COOLDOWN_MAX}
        step={30}
        fault={faults.get('cooldown_seconds')}
        onAmount={(cooldownSeconds) => onChange({ ...rule, cooldownSeconds })}
      />
      {isMomentary(kind) ? <p className={sheet['soft']}>It is true for one packet, so it is told at once and has no recovery.</p> : null}
    </div>
  );
}

const FIELDS = ['direction', 'packets', 'min_consecutive', 'cooldown_seconds'];

/** The same behind a line that says how they stand; open where one of them has a fault. */
export function MoreSettings(props: RuleFieldsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const hasFault = FIELDS.some((name) => props.faults.has(name));
  return (
    <details open={isOpen || hasFault} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Told {usualWords(props.rule, props.faults)}; change that</summary>
      <SettingFields {...props} />
    </details>
  );
}

function usualWords(rule: Rule, faults: Faults): string {
  if (FIELDS.some((name) => faults.has(name))) return 'as set below';
  if (rule.kind !== 'score_change') return settingWords(rule);
  const { direction, packets } = rule.params;
  const way = direction === 'either' ? 'whichever way' : direction === 'rise' ? 'when it rises' : 'when it falls';
  return `${way} within ${counted(Number(packets), 'packet')}, ${settingWords(rule)}`;
}
