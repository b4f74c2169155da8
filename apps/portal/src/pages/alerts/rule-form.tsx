import {
  DIRECTIONS,
  FEED_CHANNELS,
  isMomentary,
  RULE_BOUNDS,
  RULE_KINDS,
  type RuleKind,
  SCORE_NAMES,
} from '@market-state/alert-rules/rehearsal';
import { words } from '@market-state/packet-figures';
import { BOUNDS } from '../../generated/bounds';
import { severityWord, stateLabel } from '../../packets/words';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import { type Rule, withKind } from './rule';
import { Boxes, Choice, Slider } from './rule-controls';

const filled = (list: readonly string[]): readonly string[] => list.filter((word) => word !== '');
const STATES = filled(BOUNDS.EventSearchQuery.state.enum);
const CLASSES = filled(BOUNDS.EventSearchQuery.event_class.enum);
/** The lowest class is that of every packet. */
const SEVERITIES = filled(BOUNDS.EventSearchQuery.severity_class.enum).slice(1);
const TAG_MAX = BOUNDS.EventSearchQuery.tag.items.maxLength;
const MIN_CONSECUTIVE = BOUNDS.Rule.min_consecutive;
const COOLDOWN = BOUNDS.Rule.cooldown_seconds;

const KIND_WORDS: Readonly<Record<RuleKind, string>> = {
  state_changed: 'the state changes',
  tag_added: 'a tag is new',
  state_is: 'the state is one of these',
  event_class_is: 'the event class is one of these',
  severity_at_least: 'the severity is at least',
  score_change: 'a score changes by so much',
  feed_stale: 'no data comes',
};

interface RuleFieldsProps {
  readonly rule: Rule;
  readonly onChange: (rule: Rule) => void;
}

/** What a rule looks at. Each change is a whole rule again. */
export function RuleFields({ rule, onChange }: RuleFieldsProps) {
  const { kind, params } = rule;
  const set = (changed: Readonly<Record<string, unknown>>): void => onChange({ ...rule, params: withoutEmpty({ ...params, ...changed }) });
  const text = (name: string): string => String(params[name] ?? '');
  return (
    <div className={styles['fields']}>
      <Choice
        label="Wake me when"
        value={kind}
        options={RULE_KINDS}
        say={(each) => KIND_WORDS[each as RuleKind]}
        onChoose={(next) => onChange(withKind(rule, next as RuleKind))}
      />
      {kind === 'state_changed' ? (
        <>
          <Choice
            label="from"
            value={text('from')}
            options={['', ...STATES]}
            say={(each) => (each === '' ? 'any state' : stateLabel(each))}
            onChoose={(from) => set({ from })}
          />
          <Choice
            label="to"
            value={text('to')}
            options={['', ...STATES]}
            say={(each) => (each === '' ? 'any state' : stateLabel(each))}
            onChoose={(to) => set({ to })}
          />
        </>
      ) : null}
      {kind === 'tag_added' ? (
        <label className={sheet['choice']}>
          Tag; its last part may be *
          <input
            value={text('tag')}
            maxLength={TAG_MAX}
            spellCheck={false}
            placeholder="pressure:bid_elevated:*"
            onChange={({ target }) => onChange({ ...rule, params: { tag: target.value.trim() } })}
          />
        </label>
      ) : null}
      {kind === 'state_is' ? (
        <Boxes
          legend="States"
          words={STATES}
          say={stateLabel}
          chosen={listOf(params['states'])}
          onChoose={(states) => onChange({ ...rule, params: { states } })}
        />
      ) : null}
      {kind === 'event_class_is' ? (
        <Boxes
          legend="Event classes"
          words={CLASSES}
          say={words}
          chosen={listOf(params['event_classes'])}
          onChoose={(event_classes) => onChange({ ...rule, params: { event_classes } })}
        />
      ) : null}
      {kind === 'severity_at_least' ? <SeverityFields rule={rule} onChange={onChange} /> : null}
      {kind === 'score_change' ? (
        <>
          <Choice label="Score" value={text('score')} options={SCORE_NAMES} say={words} onChoose={(score) => set({ score })} />
          <Choice
            label="which way"
            value={text('direction')}
            options={DIRECTIONS}
            say={words}
            onChoose={(direction) => set({ direction })}
          />
          <label className={sheet['choice']}>
            by at least
            <input
              type="number"
              min={0}
              step="any"
              value={text('by')}
              onChange={({ target }) => onChange({ ...rule, params: { ...params, by: Number(target.value) } })}
            />
          </label>
          <Slider
            label="within, packets of 10 s"
            value={Number(params['packets'])}
            min={RULE_BOUNDS.packets.min}
            max={RULE_BOUNDS.packets.max}
            onSlide={(packets) => set({ packets })}
          />
        </>
      ) : null}
      {kind === 'feed_stale' ? (
        <>
          <Choice
            label="Data of"
            value={text('channel')}
            options={['', ...FEED_CHANNELS]}
            say={(each) => (each === '' ? 'any channel' : words(each))}
            onChoose={(channel) => set({ channel })}
          />
          <Slider
            label="for, s"
            value={Number(params['seconds'])}
            min={RULE_BOUNDS.seconds.min}
            max={RULE_BOUNDS.seconds.max}
            onSlide={(seconds) => set({ seconds })}
          />
        </>
      ) : null}
    </div>
  );
}

function SeverityFields({ rule, onChange }: RuleFieldsProps) {
  const { params } = rule;
  const byScore = params['score'] !== undefined;
  return (
    <>
      <Choice
        label="Severity"
        value={byScore ? 'score' : String(params['severity_class'])}
        options={[...SEVERITIES, 'score']}
        say={(each) => (each === 'score' ? 'a score of' : severityWord(each))}
        onChoose={(next) => onChange({ ...rule, params: next === 'score' ? { score: 0.5 } : { severity_class: next } })}
      />
      {byScore ? (
        <Slider
          label="Score"
          value={Number(params['score'])}
          min={0}
          max={1}
          step={0.01}
          onSlide={(score) => onChange({ ...rule, params: { score } })}
        />
      ) : null}
    </>
  );
}

/** Sliders show the useful part of what the service takes; the number beside takes all of it. */
const USUAL_ROW_MAX = 30;
const USUAL_COOLDOWN_MAX = 3_600;

/** When a rule that holds is told: after how many packets, and how often at most. */
export function SettingFields({ rule, onChange }: RuleFieldsProps) {
  return (
    <div className={styles['fields']}>
      {isMomentary(rule.kind) ? (
        <p className={sheet['soft']}>It is true for one packet, so it is told at once and has no recovery.</p>
      ) : (
        <Slider
          label="Packets in a row to fire, and to recover"
          value={rule.minConsecutive}
          min={MIN_CONSECUTIVE.minimum}
          max={USUAL_ROW_MAX}
          most={MIN_CONSECUTIVE.maximum}
          onSlide={(minConsecutive) => onChange({ ...rule, minConsecutive })}
        />
      )}
      <Slider
        label="Seconds after a message in which no other is sent"
        value={rule.cooldownSeconds}
        min={COOLDOWN.minimum}
        max={USUAL_COOLDOWN_MAX}
        most={COOLDOWN.maximum}
        step={30}
        onSlide={(cooldownSeconds) => onChange({ ...rule, cooldownSeconds })}
      />
    </div>
  );
}

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** A parameter that is left out means any. */
function withoutEmpty(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ''));
}
