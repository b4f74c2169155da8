import { type NumberEdits, NUMBER_FIELDS, type NumberField } from '@market-state/labeler/policy-numbers';
import { words } from '@market-state/packet-figures';
import type { UrlValue } from '../../service/url-state';

/** Numbers that decide one thing. */
export interface NumberGroup {
  /** The section of `numbers.json`. */
  readonly section: string;
  readonly title: string;
  /** What they decide. */
  readonly decides: string;
  readonly fields: readonly NumberField[];
}

const SECTIONS: Readonly<Record<string, readonly [title: string, decides: string]>> = {
  thresholds: ['Thresholds', 'from which score on a composite is at watch, and elevated'],
  calibration: ['Calibration', "how thresholds follow the market's own scores, and under which share of watch a held score leaves"],
  dwell: ['Dwell', 'how many packets in a row change a published state that is still open'],
  candidates: ['Candidate states', 'what each state scores, from when it is open, and the floor that wins when none is'],
  severity: ['Severity', 'how movement and the strongest score make it, and its classes'],
  event_class: ['Event class', 'how far price may move and still count as absorbed'],
  confidence: ['Confidence', 'what it is made of, and its classes'],
  contradiction: ['Contradiction', 'what speaks against the read, and how much'],
  diagnosis: ['Diagnosis', 'when a read is contested, and when active'],
  session_state: ['Session state', 'the state of the last quarter of an hour, and what replaces it'],
  quality: ['Quality', 'what gaps cost, and the classes'],
  composites: ['Composite scores', 'what makes the six scores, and where each is full'],
  features: ['Features', 'what the book and the trades are measured by'],
  windows: ['Windows', 'how far back each number looks'],
  minimums: ['Minimums', 'how many samples a number needs'],
  staleness: ['Staleness', 'from which age on a source is stale, where the venue says nothing else'],
  lanes: ['Lanes', 'the slower reads beside the state'],
};

/** Every number that can be edited, by what it decides; the sections that a reader moves first stand first. */
export const NUMBER_GROUPS: readonly NumberGroup[] = Object.entries(SECTIONS).map(([section, [title, decides]]) => ({
  ...{ section, title, decides },
  fields: NUMBER_FIELDS.filter(({ path }) => path.startsWith(`${section}.`)),
}));

const UNITS: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/_ms$/, 'ms'],
  [/_seconds$/, 's'],
  [/_usd$/, 'USD'],
  [/_bps$/, 'bps'],
  [/_packets$|^packets$/, 'packets'],
  [/_books$/, 'books'],
  [/_trades$/, 'trades'],
];

/** The name of a number within its group, and its unit; empty where it has none. */
export function nameOf({ path }: NumberField): { readonly name: string; readonly unit: string } {
  const parts = path.split('.').slice(1);
  const last = parts.at(-1) ?? '';
  const [ending, unit = ''] = UNITS.find(([each]) => each.test(last)) ?? [];
  const bare = ending === undefined || ending.test(last) === false ? last : last.replace(ending, '');
  const name = [...parts.slice(0, -1), bare === '' ? last : bare].map(words).join(', ');
  return { name: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, unit };
}

/** The bounds of a number, in words; empty for a switch. */
export function boundWords({ kind, least, most }: NumberField): string {
  if (kind === 'boolean') return '';
  const low = least === null ? '' : `${least.isIn ? 'from' : 'above'} ${least.value}`;
  const high = most === null ? '' : `${most.isIn ? 'to' : 'below'} ${most.value}`;
  const whole = kind === 'integer' ? 'whole, ' : '';
  return `${whole}${[low, high].filter((each) => each !== '').join(' ')}`;
}

/** Edits as they stand in an address: `thresholds.pressure.watch:0.2,dwell.packets:1`. */
export const URL_EDITS: UrlValue<NumberEdits> = {
  usual: {},
  read: (text) => {
    const edits = text.split(',').flatMap((each) => {
      const [, path, value] = /^([\w.]+):(.*)$/.exec(each) ?? [];
      return path === undefined || value === undefined ? [] : [[path, decoded(value)] as const];
    });
    return Object.fromEntries(edits);
  },
  write: (edits) =>
    Object.entries(edits)
      .map(([path, text]) => `${path}:${encodeURIComponent(text)}`)
      .join(','),
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The edits without that of one number. */
export function withoutEdit(edits: NumberEdits, path: string): NumberEdits {
  return Object.fromEntries(Object.entries(edits).filter(([name]) => name !== path));
}

/** The edits with another value of one number; its published value is no edit. */
export function withEdit(edits: NumberEdits, path: string, text: string, published: number | boolean | undefined): NumberEdits {
  return text === String(published) ? withoutEdit(edits, path) : { ...edits, [path]: text };
}
