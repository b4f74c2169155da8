import { loadPolicy } from '@market-state/labeler';
import { toSentence } from '@market-state/market-data';
import { z } from 'zod';
import { DIRECTIONS, FEED_CHANNELS, isMomentary, RULE_BOUNDS, RULE_KINDS, RULE_TAG, type RuleKind, SCORE_NAMES } from './kinds';
import { SEVERITY_CLASSES } from './kinds';

const { taxonomy } = loadPolicy();
const wordsOf = (kind: string): readonly string[] => [...(taxonomy.kinds.get(kind)?.keys() ?? [])];

const RULE_WORDS = {
  states: wordsOf('states'),
  eventClasses: wordsOf('event_classes'),
  tagFamilies: wordsOf('tag_families'),
};

const QUOTED_MAX = 64;
const quoted = (text: string) => JSON.stringify(text.length <= QUOTED_MAX ? text : `${text.slice(0, QUOTED_MAX)}…`);

const oneOf = (words: readonly string[]) =>
  z.string().refine((word) => words.includes(word), { error: ({ input }) => `${quoted(String(input))} is not one of ${words.join(', ')}` });
const severityScore = z.number().min(RULE_BOUNDS.severityScore.min).max(RULE_BOUNDS.severityScore.max);
const states = oneOf(RULE_WORDS.states);

const tag = z
  .string()
  .max(RULE_TAG.lengthMax)
  .regex(RULE_TAG.pattern, 'must be a tag of 2 or 3 segments such as pressure:bid_elevated:hot; its last segment may be *')
  .refine((text) => RULE_WORDS.tagFamilies.includes(text.split(':')[0] ?? ''), {
    error: `must begin with a family of tags: ${RULE_WORDS.tagFamilies.join(', ')}`,
  });

const PARAMS = {
  state_changed: z.strictObject({ from: states.optional(), to: states.optional() }),
  tag_added: z.strictObject({ tag }),
  state_is: z.strictObject({ states: z.array(states).min(1).max(RULE_WORDS.states.length) }),
  event_class_is: z.strictObject({ event_classes: z.array(oneOf(RULE_WORDS.eventClasses)).min(1).max(RULE_WORDS.eventClasses.length) }),
  severity_at_least: z
    .strictObject({
      severity_class: oneOf(SEVERITY_CLASSES.slice(1)).optional(),
      score: severityScore.optional(),
    })
    .refine(({ severity_class: word, score }) => (word === undefined) !== (score === undefined), {
      error: 'must have severity_class or score, and not both',
    }),
  score_change: z.strictObject({
    score: oneOf(SCORE_NAMES),
    by: z.number().gt(RULE_BOUNDS.by.min).max(RULE_BOUNDS.by.max),
    packets: z.number().int().min(RULE_BOUNDS.packets.min).max(RULE_BOUNDS.packets.max),
    direction: z.enum(DIRECTIONS).default('either'),
  }),
  feed_stale: z.strictObject({
    channel: z.enum(FEED_CHANNELS).optional(),
    seconds: z.number().int().min(RULE_BOUNDS.seconds.min).max(RULE_BOUNDS.seconds.max).default(RULE_BOUNDS.seconds.usual),
  }),
} as const satisfies Readonly<Record<RuleKind, z.ZodType>>;

const PRESETS: Readonly<Record<string, { readonly kind: RuleKind; readonly params: object }>> = {
  liquidity_mirage_score_change: { kind: 'score_change', params: { score: 'queue_fragility_score', by: 0.2, packets: 3 } },
};

type SpecOf<Kind extends RuleKind> = {
  readonly kind: Kind;
  readonly params: z.output<(typeof PARAMS)[Kind]>;
  /** 0 to 86,400. */
  readonly cooldownSeconds: number;
  /** To fire and to recover, 1 to 100; 1 for momentary kinds. */
  readonly minConsecutive: number;
};

export type RuleSpec = { [Kind in RuleKind]: SpecOf<Kind> }[RuleKind];

interface RuleDraft {
  /** A kind or the name of a preset. */
  readonly kind: string;
  readonly params: unknown;
  readonly cooldownSeconds: number;
  readonly minConsecutive: number;
}

/** The field is a path such as `params.states[0]`. */
interface RuleFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const isKind = (word: string): word is RuleKind => Object.hasOwn(PARAMS, word);

function boundsFault(name: string, value: number, { min, max }: { readonly min: number; readonly max: number }): RuleFault[] {
  return Number.isInteger(value) && value >= min && value <= max
    ? []
    : [{ path: [name], message: `must be a whole number from ${min} to ${max}` }];
}

/** Returns the rule with its defaults, or every validation error. */
export function checkRule(draft: RuleDraft): { readonly rule: RuleSpec } | { readonly faults: readonly RuleFault[] } {
  const { cooldownSeconds, minConsecutive } = draft;
  const { kind, params } = fromPreset(draft);
  const bounds = [
    ...boundsFault('cooldown_seconds', cooldownSeconds, RULE_BOUNDS.cooldownSeconds),
    ...boundsFault('min_consecutive', minConsecutive, RULE_BOUNDS.minConsecutive),
  ];
  if (!isKind(kind))
    return { faults: [{ path: ['kind'], message: `must be one of ${[...RULE_KINDS, ...Object.keys(PRESETS)].join(', ')}` }, ...bounds] };
  const read = PARAMS[kind].safeParse(params, { error: toSentence });
  const faults: RuleFault[] = [...bounds];
  if (isMomentary(kind) && minConsecutive > 1)
    faults.push({ path: ['min_consecutive'], message: `must be 1: ${kind} is true for one packet only` });
  if (!read.success) faults.push(...uniqueIssues(read.error.issues).flatMap((issue) => paramFaults(kind, issue)));
  if (faults.length > 0 || !read.success) return { faults };
  return { rule: { kind, params: read.data, cooldownSeconds, minConsecutive } as RuleSpec };
}

function fromPreset({ kind, params }: RuleDraft): { readonly kind: string; readonly params: unknown } {
  const preset = Object.hasOwn(PRESETS, kind) ? PRESETS[kind] : undefined;
  if (preset === undefined) return { kind, params: params ?? {} };
  return { kind: preset.kind, params: { ...preset.params, ...(params ?? {}) } };
}

/** Without bounds of values that have the wrong type. */
function uniqueIssues(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const mistyped = issues.filter(({ code }) => code === 'invalid_type');
  return issues.filter((issue) => mistyped.every((other) => other === issue || other.path.join('.') !== issue.path.join('.')));
}

function paramFaults(kind: RuleKind, issue: z.core.$ZodIssue): RuleFault[] {
  const path = ['params', ...(issue.path as (string | number)[])];
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((name) => ({ path: [...path, name], message: `is not a parameter of ${kind}` }));
}

/**
 * Returns true if two rules have the same condition, regardless of member order. Editing anything else keeps the rule's
 * state.
 */
export function hasSameCondition(one: RuleSpec, other: RuleSpec): boolean {
  const members = (value: object): string =>
    JSON.stringify(
      Object.entries(value)
        .map(([name, member]: [string, unknown]) => [name, Array.isArray(member) ? [...new Set<unknown>(member)].sort() : member] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return one.kind === other.kind && members(one.params) === members(other.params);
}
