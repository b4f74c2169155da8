import {
  DIRECTIONS,
  isMomentary,
  RULE_BOUNDS,
  FEED_CHANNELS,
  RULE_KINDS,
  type RuleKind,
  SCORE_NAMES,
} from '@market-state/alert-rules/rehearsal';
import { counted, words } from '@market-state/packet-figures';
import { type ReactNode, useState } from 'react';
import styles from './alerts.module.css';
import sheet from '../../theme/sheet.module.css';
import { type Rule, settingWords, withKind } from './rule';
import { Choice, Slider, Amount, Boxes, Text } from './rule-controls';
import type { Faults } from './rule-faults';
import { BOUNDS } from '../../generated/bounds';
import { severityWord, stateLabel } from '../../packets/words';

const filled = (list: readonly string[]): readonly string[] => list.filter((word) => word !== '');
const STATES = filled(BOUNDS.EventSearchQuery.state.enum);
const CLASSES = filled(BOUNDS.EventSearchQuery.event_class.enum);
/** Skips the lowest class, which matches every packet. */
const SEVERITIES = filled(BOUNDS.EventSearchQuery.severity_class.enum).slice(1);
const USUAL_SEVERITY_SCORE = 0.5;

const KIND_WORDS: Readonly<Record<RuleKind, string>> = {
  severity_at_least: 'severity is at least',
  state_changed: 'state changes',
  state_is: 'state is one of',
  event_class_is: 'event class is one of',
  score_change: 'a score changes',
  tag_added: 'a tag is new',
  feed_stale: 'data stops arriving',
};

/** In the order in which a form offers them, most used first. */
const KINDS = [...RULE_KINDS].sort((a, b) => Object.keys(KIND_WORDS).indexOf(a) - Object.keys(KIND_WORDS).indexOf(b));

interface RuleFieldsProps {
  readonly rule: Rule;
  readonly faults: Faults;
  readonly onChange: (rule: Rule) => void;
}

export function KindChoice({ rule, faults, onChange }: RuleFieldsProps) {
  return (
    <Choice
      label="Alert me when"
      value={rule.kind}
      options={KINDS}
      say={(each) => KIND_WORDS[each as RuleKind]}
      fault={faults.get('kind')}
      onChoose={(next) => onChange(withKind(rule, next as RuleKind))}
    />
  );
}

export function KindFields({ rule, faults, onChange }: RuleFieldsProps) {
  const { kind, params } = rule;
  const set = (changed: Readonly<Record<string, unknown>>): void => onChange({ ...rule, params: withoutEmpty({ ...params, ...changed }) });
  const text = (name: string): string => String(params[name] ?? '');
  const choice = (name: string, label: string, options: readonly string[], say: (word: string) => string) => (
    <Choice
      key={name}
      label={label}
      value={text(name)}
      options={options}
      say={say}
      fault={faults.get(name)}
      onChoose={(word) => set({ [name]: word })}
    />
  );
  switch (kind) {
    case 'state_changed':
      return ['from', 'to'].map((name) => choice(name, name, ['', ...STATES], (each) => (each === '' ? 'any state' : stateLabel(each))));
    case 'tag_added':
      return (
        <Text
          label="Tag (the last part may be *)"
          value={text('tag')}
          spellCheck={false}
          autoComplete="off"
          placeholder="pressure:bid_elevated:*"
          fault={faults.get('tag')}
          onType={(tag) => onChange({ ...rule, params: { tag: tag.trim() } })}
        />
      );
    case 'state_is':
      return (
        <Boxes
          label="States"
          words={STATES}
          say={stateLabel}
          chosen={listOf(params['states'])}
          fault={faults.get('states')}
          onChoose={(states) => onChange({ ...rule, params: { states } })}
        />
      );
    case 'event_class_is':
      return (
        <Boxes
          label="Event classes"
          words={CLASSES}
          say={words}
          chosen={listOf(params['event_classes'])}
          fault={faults.get('event_classes')}
          onChoose={(classes) => onChange({ ...rule, params: { event_classes: classes } })}
        />
      );
    case 'severity_at_least':
      return <SeverityFields rule={rule} faults={faults} onChange={onChange} />;
    case 'score_change':
      return (
        <>
          {choice('score', 'Score', SCORE_NAMES, words)}
          <Amount
            label="by at least"
            value={Number(params['by'])}
            min={RULE_BOUNDS.by.min}
            max={RULE_BOUNDS.by.max}
            step="any"
            fault={faults.get('by')}
            onAmount={(by) => set({ by })}
          />
        </>
      );
    case 'feed_stale':
      return (
        <>
          <Slider
            label="for at least (seconds)"
            value={Number(params['seconds'])}
            min={RULE_BOUNDS.seconds.min}
            max={RULE_BOUNDS.seconds.max}
            slideMax={USUAL_SECONDS_MAX}
            step={1}
            fault={faults.get('seconds')}
            onAmount={(seconds) => set({ seconds })}
          />
          {choice('channel', 'Channel', ['', ...FEED_CHANNELS], (each) => (each === '' ? 'any channel' : words(each)))}
        </>
      );
  }
}

const USUAL_SECONDS_MAX = 600;

function SeverityFields({ rule, faults, onChange }: RuleFieldsProps) {
  const { params } = rule;
  const isByScore = params['score'] !== undefined;
  return (
    <>
      <Choice
        label="Severity"
        value={isByScore ? 'score' : String(params['severity_class'])}
        options={[...SEVERITIES, 'score']}
        say={(each) => (each === 'score' ? 'a score of' : severityWord(each))}
        fault={faults.get('severity_class')}
        onChoose={(next) => onChange({ ...rule, params: next === 'score' ? { score: USUAL_SEVERITY_SCORE } : { severity_class: next } })}
      />
      {isByScore ? (
        <Slider
          label="Score"
          value={Number(params['score'])}
          min={RULE_BOUNDS.severityScore.min}
          max={RULE_BOUNDS.severityScore.max}
          step={0.01}
          fault={faults.get('score')}
          onAmount={(score) => onChange({ ...rule, params: { score } })}
        />
      ) : null}
    </>
  );
}

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

function withoutEmpty(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ''));
}

/** Sliders cover the useful part of the range; the number input accepts all of it. */
const USUAL_ROW_MAX = 30;
const USUAL_COOLDOWN_MAX = 3_600;
const DIRECTION_WORDS: Readonly<Record<string, string>> = { rise: 'it rises', fall: 'it falls', either: 'either way' };

export function SettingFields({ rule, faults, onChange }: RuleFieldsProps) {
  const { kind, params } = rule;
  return (
    <div className={styles['fields']}>
      {kind === 'score_change' ? (
        <>
          <Choice
            label="Direction"
            value={String(params['direction'])}
            options={DIRECTIONS}
            say={(each) => DIRECTION_WORDS[each] ?? each}
            fault={faults.get('direction')}
            onChoose={(direction) => onChange({ ...rule, params: { ...params, direction } })}
          />
          <Slider
            label="Over how many packets (10 s each)"
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
          label="Consecutive packets to fire and to recover"
          value={rule.minConsecutive}
          {...RULE_BOUNDS.minConsecutive}
          slideMax={USUAL_ROW_MAX}
          step={1}
          fault={faults.get('min_consecutive')}
          onAmount={(minConsecutive) => onChange({ ...rule, minConsecutive })}
        />
      )}
      <Slider
        label="Cooldown (seconds)"
        value={rule.cooldownSeconds}
        {...RULE_BOUNDS.cooldownSeconds}
        slideMax={USUAL_COOLDOWN_MAX}
        step={30}
        fault={faults.get('cooldown_seconds')}
        onAmount={(cooldownSeconds) => onChange({ ...rule, cooldownSeconds })}
      />
      {isMomentary(kind) ? (
        <p className={sheet['soft']}>This condition is momentary: it notifies immediately and has no recovery.</p>
      ) : null}
    </div>
  );
}

const FIELDS = ['direction', 'packets', 'min_consecutive', 'cooldown_seconds'];

function MoreSettings(props: RuleFieldsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const hasFault = FIELDS.some((name) => props.faults.has(name));
  return (
    <details open={isOpen || hasFault} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Notify {usualWords(props.rule, props.faults)} (edit)</summary>
      <SettingFields {...props} />
    </details>
  );
}

function usualWords(rule: Rule, faults: Faults): string {
  if (FIELDS.some((name) => faults.has(name))) return 'as set below';
  if (rule.kind !== 'score_change') return settingWords(rule);
  const { direction, packets } = rule.params;
  const way = direction === 'either' ? 'if it moves' : direction === 'rise' ? 'when it rises' : 'when it falls';
  return `${way} within ${counted(Number(packets), 'packet')}, ${settingWords(rule)}`;
}

export function RuleForm({ children, ...rule }: RuleFieldsProps & { readonly children?: ReactNode }) {
  return (
    <>
      <div className={styles['fields']}>
        <KindChoice {...rule} />
        <KindFields {...rule} />
        {children}
      </div>
      <MoreSettings {...rule} />
    </>
  );
}
