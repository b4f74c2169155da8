import { type NumberEdits, NUMBER_FIELDS, type NumberField } from '@market-state/labeler/policy-numbers';
import { words } from '@market-state/packet-figures';
import type { UrlValue } from '../../service/url-state';

export interface NumberGroup {
  readonly section: string;
  readonly title: string;
  readonly decides: string;
  readonly fields: readonly NumberField[];
}

const SECTIONS: Readonly<Record<string, readonly [title: string, decides: string]>> = {
  thresholds: ['Thresholds', 'scores from which a composite is at watch or elevated'],
  calibration: ['Calibration', 'how thresholds adapt to the market, and the share of watch below which a held score ends'],
  activity: ['Activity', 'how much the thresholds follow price ranges, and from which activity a market is active'],
  dwell: ['Dwell', 'packets in a row that open a state, and that change a published state that still holds'],
  candidates: ['Candidate states', 'score and entry condition of each state, and the floor that wins if none qualifies'],
  severity: ['Severity', 'how price ranges and depth near mid combine into severity, and its classes'],
  ranges: ['Price ranges', 'lengths of the means of price ranges, and of the level of the symbol'],
  event_class: ['Event class', 'how far price may move and still count as absorbed'],
  confidence: ['Confidence', 'components and classes'],
  contradiction: ['Contradiction', 'what counts against the label, and by how much'],
  diagnosis: ['Diagnosis', 'when a label is contested, and when active'],
  session_state: ['Session state', 'the state over the last 15 minutes, and when it is replaced'],
  quality: ['Quality', 'penalties for gaps, and the classes'],
  composites: ['Composite scores', 'inputs of the six scores, and where each saturates'],
  features: ['Features', 'measures of the book and the trades'],
  windows: ['Windows', 'look-back period of each number'],
  minimums: ['Minimums', 'number of samples each number needs'],
  staleness: ['Staleness', 'age from which a source is stale, unless the venue defines it'],
  lanes: ['Lanes', 'slower horizons next to the state'],
};

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

export function nameOf({ path }: NumberField): { readonly name: string; readonly unit: string } {
  const parts = path.split('.').slice(1);
  const last = parts.at(-1) ?? '';
  const [ending, unit = ''] = UNITS.find(([each]) => each.test(last)) ?? [];
  const bare = ending === undefined || ending.test(last) === false ? last : last.replace(ending, '');
  const name = [...parts.slice(0, -1), bare === '' ? last : bare].map(words).join(', ');
  return { name: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, unit };
}

export function boundWords({ kind, least, most }: NumberField): string {
  if (kind === 'boolean') return '';
  const low = least === null ? '' : `${least.isIn ? 'from' : 'above'} ${least.value}`;
  const high = most === null ? '' : `${most.isIn ? 'to' : 'below'} ${most.value}`;
  const whole = kind === 'integer' ? 'whole, ' : '';
  return `${whole}${[low, high].filter((each) => each !== '').join(' ')}`;
}

/** Format in the URL: `thresholds.pressure.watch:0.2,dwell.packets:1`. */
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

export function withoutEdit(edits: NumberEdits, path: string): NumberEdits {
  return Object.fromEntries(Object.entries(edits).filter(([name]) => name !== path));
}

/** Setting the published value removes the edit. */
export function withEdit(edits: NumberEdits, path: string, text: string, published: number | boolean | undefined): NumberEdits {
  return text === String(published) ? withoutEdit(edits, path) : { ...edits, [path]: text };
}
