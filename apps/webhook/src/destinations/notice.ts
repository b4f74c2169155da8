import { counted, utc, words } from '@market-state/packet-figures';
import type { MessageRow } from '../messages/message';

export interface Notice {
  readonly messageId: string;
  readonly eventKind: string;
  readonly createdMs: number;
  readonly title: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** Absent if the installation's public address is unknown. */
  readonly link?: { readonly label: string; readonly url: string };
  readonly tone: 'triggered' | 'resolved' | 'information';
  /** Equal for all messages of an episode. */
  readonly episodeId: string;
  readonly symbol: string;
  readonly severityClass: string;
}

type Data = Readonly<Record<string, unknown>>;

/** @param row with data: the body is within its retention */
export function noticeOf(row: MessageRow, publicBaseUrl: string | undefined): Notice {
  const data = row.data ?? {};
  const { title, facts = [], page, tone = 'information' } = describe(row.event_kind, data);
  const { synthetic = row.meta?.['synthetic'], late } = data;
  const notes: [string, string][] = [];
  if (late === true) notes.push(['Late', 'it happened more than 15 minutes before this message, during an outage']);
  if (synthetic === true) notes.push(['Market', 'simulated']);
  return {
    messageId: row.message_id,
    eventKind: row.event_kind,
    createdMs: Number(row.created_ms),
    title,
    facts: [...facts, ...notes],
    ...(publicBaseUrl === undefined ? {} : { link: { label: page.label, url: new URL(page.path, publicBaseUrl).href } }),
    tone,
    episodeId: textOf(data, 'episode_id') || row.message_id,
    symbol: row.symbol,
    severityClass: textOf(data, 'severity_class') || textOf(conditionOf(data), 'severity_class'),
  };
}

interface Description extends Partial<Pick<Notice, 'facts' | 'tone'>> {
  readonly title: string;
  readonly page: { readonly label: string; readonly path: string };
}

const DELIVERIES = { label: 'Open destinations', path: '/webhooks' };

function describe(eventKind: string, data: Data): Description {
  const venue = textOf(data, 'venue');
  const symbol = `${textOf(data, 'symbol')}${venue === '' ? '' : ` of ${venue}`}`;
  const state = words(textOf(data, 'state'));
  switch (eventKind) {
    case 'alert.triggered':
      return describeAlert(data, symbol);
    case 'state.changed':
      return {
        title: `${symbol} changed from ${words(textOf(data, 'previous_state'))} to ${state}`,
        facts: [...packetFacts(data), ...windowFacts(data)],
        page: windowPage(data),
      };
    case 'packet.created':
      return { title: `${symbol}: ${state}`, facts: [...packetFacts(data), ...windowFacts(data)], page: windowPage(data) };
    case 'export.finished':
      return {
        title: `Export of ${words(textOf(data, 'dataset'))} ${EXPORT_WORDS[textOf(data, 'status')] ?? 'ended'}`,
        facts: [['Job', textOf(data, 'job_id')]],
        page: { label: 'Open exports', path: '/exports' },
      };
    case 'usage.threshold_reached':
      return {
        title: `${String(data['percent'])} % of ${words(textOf(data, 'control'))} used`,
        facts: [['Used', `${String(data['used'])} of ${String(data['limit'])}`]],
        page: { label: 'Open usage', path: '/usage' },
      };
    case 'endpoint.disabled':
      return { title: 'A destination was disabled', facts: [['Reason', words(textOf(data, 'reason'))], idFact(data)], page: DELIVERIES };
    case 'message.exhausted':
      return {
        title: `A message (${textOf(data, 'event_kind')}) could not be delivered to another destination`,
        facts: [['Last result', words(textOf(data, 'last_class'))], idFact(data)],
        page: DELIVERIES,
      };
    default:
      return { title: 'Test from Market-State', facts: [['Note', 'nothing has changed in the market']], page: DELIVERIES };
  }
}

const EXPORT_WORDS: Readonly<Record<string, string>> = { ready: 'is ready', failed: 'failed', cancelled: 'was cancelled' };

const idFact = (data: Data): readonly [string, string] => ['Destination', textOf(data, 'endpoint_id')];

const PHASES: Readonly<Record<string, string>> = {
  triggered: 'triggered',
  recovered: 'recovered',
  ended: 'ended: the rule was deleted or changed',
};

function describeAlert(data: Data, symbol: string): Description {
  const phase = textOf(data, 'phase');
  const condition = conditionSentence(conditionOf(data));
  return {
    title: `${textOf(data, 'watchlist_name') || 'Alert'}: ${symbol} ${PHASES[phase] ?? phase}`,
    facts: [...(condition === '' ? [] : [[phase === 'triggered' ? 'Condition' : 'Now', condition] as const]), ...windowFacts(data)],
    page: windowPage(data),
    tone: phase === 'triggered' ? 'triggered' : 'resolved',
  };
}

/** Empty if the values are unknown, as in a reduced body. */
function conditionSentence(condition: Data): string {
  const text = (name: string): string => words(textOf(condition, name));
  switch (textOf(condition, 'kind')) {
    case 'state_changed':
      return `state changed from ${text('previous_state') || 'unknown'} to ${text('state')}`;
    case 'tag_added':
      return `tags added: ${listOf(condition, 'tags_added').join(', ') || text('tag')}`;
    case 'state_is':
      return `state is ${text('state')}`;
    case 'event_class_is':
      return `event class is ${text('event_class')}`;
    case 'severity_at_least':
      return `severity is ${text('severity_class') || 'unknown'} (${numberOf(condition, 'severity_score')}); threshold: ${words(String(condition['at_least']))}`;
    case 'score_change':
      return `${text('score')} changed by ${numberOf(condition, 'change')} in ${counted(Number(condition['packets']), 'packet')}, to ${numberOf(condition, 'value')}`;
    case 'feed_stale': {
      const channel = text('channel') || 'packets';
      return typeof condition['age_seconds'] === 'number'
        ? `newest ${channel}: ${numberOf(condition, 'age_seconds')} s old`
        : `no ${channel}`;
    }
    default:
      return '';
  }
}

function packetFacts(data: Data): [string, string][] {
  const facts: [string, string][] = [['Severity', `${words(textOf(data, 'severity_class'))} (${numberOf(data, 'severity_score')})`]];
  const eventClass = words(textOf(data, 'event_class'));
  return eventClass === '' ? facts : [...facts, ['Event', eventClass]];
}

function windowFacts(data: Data): [string, string][] {
  const endMs = Date.parse(textOf(data, 'window_end_utc'));
  const gaps = listOf(data, 'gap_ids').length;
  const facts: [string, string][] = Number.isNaN(endMs) ? [] : [['Window until', `${utc(endMs)} UTC`]];
  return gaps === 0 ? facts : [...facts, ['Data', `${counted(gaps, 'gap')} in this window`]];
}

/** The portal's replay, with its cursor at the window. */
function windowPage(data: Data): Description['page'] {
  const [symbol, venue] = [textOf(data, 'symbol'), textOf(data, 'venue')];
  const address = new URLSearchParams({ symbol: venue === '' ? symbol : `${symbol}@${venue}`, at: textOf(data, 'window_end_utc') });
  return { label: 'Open this window', path: `/replay?${address.toString()}` };
}

function conditionOf(data: Data): Data {
  const { condition } = data;
  return typeof condition === 'object' && condition !== null ? (condition as Data) : {};
}

function textOf(data: Data, name: string): string {
  const value = data[name];
  return typeof value === 'string' ? value : '';
}

function listOf(data: Data, name: string): readonly string[] {
  const value = data[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** At most four significant digits; `unknown` unless it is a number. */
function numberOf(data: Data, name: string): string {
  const value = data[name];
  return typeof value === 'number' ? String(Number(value.toPrecision(4))) : 'unknown';
}

export interface Markup {
  escape(text: string): string;
  bold(escaped: string): string;
  link(escapedLabel: string, url: string): string;
  readonly lengthMax: number;
}

const ENTRIES_MAX = 20;
const BOUNDARY = 'Market context only: not a signal, advice or an instruction.';

export function titleOf(notices: readonly Notice[]): string {
  const [first] = notices;
  if (notices.length === 1 && first !== undefined) return first.title;
  const names = new Set(notices.map(({ symbol }) => symbol).filter((symbol) => symbol !== ''));
  return `${counted(notices.length, 'message')}${names.size === 0 ? '' : ` about ${[...names].slice(0, 3).join(', ')}${names.size > 3 ? ' and others' : ''}`}`;
}

/** Several are a list, oldest first. The list is cut, not its entries. */
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
