import { counted, utc } from '@market-state/packet-figures';
import type { Notice } from './notice';

/** Markup of a destination. */
export interface Markup {
  escape(text: string): string;
  bold(escaped: string): string;
  link(escapedLabel: string, url: string): string;
  /** Maximum length of a text. */
  readonly lengthMax: number;
}

const ENTRIES_MAX = 20;
const BOUNDARY = 'Market context only: not a signal, advice or an instruction.';

/** Short title of one or several notices. */
export function titleOf(notices: readonly Notice[]): string {
  const [first] = notices;
  if (notices.length === 1 && first !== undefined) return first.title;
  const names = new Set(notices.map(({ symbol }) => symbol).filter((symbol) => symbol !== ''));
  return `${counted(notices.length, 'message')}${names.size === 0 ? '' : ` about ${[...names].slice(0, 3).join(', ')}${names.size > 3 ? ' and others' : ''}`}`;
}

/** Text of one notice in full, or of several as a list, oldest first. The list is cut, not its entries. */
export function writeText(notices: readonly Notice[], markup: Markup): string {
  const [first] = notices;
  if (notices.length === 1 && first !== undefined) return cut(writeOne(first, markup), markup.lengthMax);
  const sorted = notices.toSorted((one, other) => one.createdMs - other.createdMs);
  for (let shown = Math.min(ENTRIES_MAX, sorted.length); shown > 0; shown -= 1) {
    const text = writeList(sorted, shown, markup);
    if (text.length <= markup.lengthMax) return text;
  }
  return cut(markup.escape(titleOf(notices)), markup.lengthMax);
}

function writeOne({ title, facts, link }: Notice, { escape, bold, link: linked }: Markup): string {
  return [
    bold(escape(title)),
    ...facts.map(([label, value]) => `${escape(label)}: ${escape(value)}`),
    ...(link === undefined ? [] : [linked(escape(link.label), link.url)]),
    escape(BOUNDARY),
  ].join('\n');
}

function writeList(sorted: readonly Notice[], shown: number, { escape, bold, link: linked }: Markup): string {
  const entries = sorted.slice(0, shown).map(({ createdMs, title, link }) => {
    const time = utc(createdMs).slice(11);
    return `${escape(`${time} ${title}`)}${link === undefined ? '' : ` ${linked(escape('open'), link.url)}`}`;
  });
  const rest = sorted.length - shown;
  const more = rest === 0 ? [] : [escape(`and ${counted(rest, 'more message')}: the list of deliveries has all of them`)];
  const [first, last] = [sorted[0]?.createdMs ?? 0, sorted.at(-1)?.createdMs ?? 0];
  return [bold(escape(titleOf(sorted))), escape(`${utc(first)} to ${utc(last).slice(11)} UTC`), ...entries, ...more, escape(BOUNDARY)].join(
    '\n',
  );
}

/** Only one notice can be too long, by a long name: its markup is closed before the facts. */
function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, text.lastIndexOf('\n', lengthMax));
}
