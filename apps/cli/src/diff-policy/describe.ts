import type { Move, PacketChange, PolicyChange, PolicyTotals, Transitions } from '@market-state/labeler';
import { counted, count, instant } from '../io/instant';
import { wholeTable } from '../io/table';

/** Moves told of one packet; the ndjson form has them all. */
const MOVES_MAX = 10;

export function describePolicyChanges(
  changes: readonly PolicyChange[],
  digests: { readonly a: string; readonly b: string },
): readonly string[] {
  const lines = [`a  ${digests.a}`, `b  ${digests.b}`, ''];
  if (changes.length === 0) return [...lines, 'The two policies are the same.', ''];
  const rows = changes.map(({ file, path, a, b }) => [file, path, shown(a), shown(b)]);
  return [
    ...lines,
    `${counted(changes.length, 'policy value')} ${changes.length === 1 ? 'differs' : 'differ'}`,
    ...wholeTable(['file', 'path', 'a', 'b'], rows),
    '',
  ];
}

/** One window: what changed, and below it why. */
export function describePacketChange({ windowEndMs, fields, tagsAdded, tagsRemoved, because }: PacketChange): readonly string[] {
  const lines = [instant(windowEndMs)];
  for (const { field, a, b } of fields) lines.push(`  ${field.padEnd(16)}${a} → ${b}`);
  if (tagsAdded.length + tagsRemoved.length > 0) {
    lines.push(`  ${'tags'.padEnd(16)}${[...tagsAdded.map((tag) => `+${tag}`), ...tagsRemoved.map((tag) => `-${tag}`)].join(' ')}`);
  }
  const told = [...because].sort((one, other) => KIND_ORDER.indexOf(one.kind) - KIND_ORDER.indexOf(other.kind)).slice(0, MOVES_MAX);
  for (const [index, { kind, name, a, b }] of told.entries()) {
    lines.push(`  ${(index === 0 ? 'because' : '').padEnd(16)}${kind} ${name} ${shown(a)} → ${shown(b)}`);
  }
  if (because.length > told.length) lines.push(`  ${''.padEnd(16)}and ${count(because.length - told.length)} more`);
  return lines;
}

const KIND_ORDER: readonly Move['kind'][] = ['threshold', 'score', 'publication', 'packet', 'norm', 'term'];

export function describeTotals(totals: PolicyTotals): readonly string[] {
  const { compared, changed, changedByField, onlyA, onlyB } = totals;
  const share = (part: number): string => `${((100 * part) / Math.max(1, compared)).toFixed(1)} %`;
  const lines = ['', `${counted(compared, 'window')} compared: ${count(changed)} changed, ${share(changed)}`];
  if (onlyA + onlyB > 0) lines.push(`${count(onlyA)} under a only, ${count(onlyB)} under b only`);
  const fields = Object.entries(changedByField).map(([field, total]) => [field, count(total), share(total)]);
  const states = [...new Set([...Object.keys(totals.statesA), ...Object.keys(totals.statesB)])].sort();
  return [
    ...lines,
    '',
    ...wholeTable(['what changed', 'windows', 'share'], fields, 1),
    '',
    ...wholeTable(
      ['published state', 'a', 'b'],
      states.map((state) => [state, count(totals.statesA[state] ?? 0), count(totals.statesB[state] ?? 0)]),
      1,
    ),
    '',
    'Transitions under a (from the row to the column)',
    ...matrix(states, totals.transitionsA),
    '',
    'Transitions under b',
    ...matrix(states, totals.transitionsB),
  ];
}

/** Columns by number, because names are long: the rows tell which. */
function matrix(states: readonly string[], transitions: Transitions): readonly string[] {
  const rows = states.map((from, index) => [`${index + 1} ${from}`, ...states.map((to) => count(transitions[from]?.[to] ?? 0))]);
  return wholeTable(['from', ...states.map((_state, index) => String(index + 1))], rows, 1);
}

function shown(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value);
}
