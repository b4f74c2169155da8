import { zoneName } from './clock';
import { currentZone, instantsOf, offsetMs, type Zone, zoneWords } from './zone';

/** How a time is written in a field: 24 hours, seconds where it has some. No field of the browser says it so in every locale. */
export const TIME_FORM = 'YYYY-MM-DD HH:MM';

const WRITTEN = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2}))?(?: ?(Z|UTC)?([+-])?(?:(\d{2}):(\d{2}))?)$/;
const OFFSET_AT = 7;
const MINUTE_MS = 60_000;

const exampleIn = (zone: Zone): string =>
  `Write it as ${TIME_FORM}, such as 2026-11-25 18:30, in ${zoneWords(zone)}${zone === 'utc' ? '' : ', or with UTC behind it'}.`;

/** An instant as a field shows it, to the second, in the zone in force; with its offset where the time alone would not say which. */
export function fieldTime(ms: number): string {
  const zone = currentZone();
  const secondMs = Math.floor(ms / 1_000) * 1_000;
  const wallMs = secondMs + offsetMs(secondMs, zone);
  const text = new Date(wallMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ').replace(/:00$/, '');
  const isPlain = instantsOf(wallMs, zone).length === 1 && zoneName(secondMs) === zoneName(Date.now());
  return isPlain ? text : `${text} ${zoneName(secondMs)}`;
}

interface ReadTime {
  /** NaN where there is a fault. */
  readonly ms: number;
  /** Empty where there is none. */
  readonly fault: string;
}

const faulty = (fault: string): ReadTime => ({ ms: NaN, fault });

function readTime(field: FormDataEntryValue | null, zone: Zone): ReadTime {
  const text = String(field ?? '').trim();
  const written = WRITTEN.exec(text);
  if (written === null) return faulty(text === '' ? `Give a time. ${exampleIn(zone)}` : exampleIn(zone));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = written.slice(1, OFFSET_AT).map((part) => Number(part ?? 0));
  if (month < 1 || month > 12) return faulty(`There is no month ${month}: months are 01 to 12.`);
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (day < 1 || day > days) return faulty(`There is no day ${day} in that month: its days are 01 to ${days}.`);
  if (hour > 23) return faulty(`There is no hour ${hour}: hours are 00 to 23.`);
  if (minute > 59 || second > 59) return faulty('Minutes and seconds are 00 to 59.');
  const wallMs = Date.UTC(year, month - 1, day, hour, minute, second);
  const [mark, sign, hours, minutes] = written.slice(OFFSET_AT);
  if ((sign === undefined) !== (hours === undefined)) return faulty(exampleIn(zone));
  if (sign !== undefined) return { ms: wallMs - Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS, fault: '' };
  return mark === undefined ? atClocks(wallMs, zone) : { ms: wallMs, fault: '' };
}

/** The instant at which the clocks of a zone show a time. */
function atClocks(wallMs: number, zone: Zone): ReadTime {
  const [ms, later] = instantsOf(wallMs, zone);
  if (ms === undefined) return faulty('Clocks skip this time where you are: daylight saving begins.');
  if (later === undefined) return { ms, fault: '' };
  return faulty(`Clocks show this time twice where you are. Put ${zoneName(ms)} or ${zoneName(later)} behind it.`);
}

/** The instant of a field, milliseconds since the epoch; NaN where it has none. */
export const instantOf = (field: FormDataEntryValue | null, zone: Zone = currentZone()): number => readTime(field, zone).ms;

/** What is wrong with the time of a field; empty where nothing is. */
export const timeFault = (field: FormDataEntryValue | null): string => readTime(field, currentZone()).fault;

interface SpanBounds {
  /** Longest span, milliseconds; none by default. */
  readonly longestMs?: number;
  /** Said where a span is longer. */
  readonly tooLong?: string;
  /** Whether an end that is left empty sets no bound. */
  readonly isOpen?: boolean;
}

/** What is wrong with the fields `from` and `to` of a form, each at its own. */
export function spanFaults(
  form: FormData,
  { longestMs = Infinity, tooLong = '', isOpen = false }: SpanBounds = {},
): ReadonlyMap<string, string> {
  const faults = new Map<string, string>();
  for (const name of ['from', 'to']) {
    const fault = isOpen && form.get(name) === '' ? '' : timeFault(form.get(name));
    if (fault !== '') faults.set(name, fault);
  }
  const lengthMs = instantOf(form.get('to')) - instantOf(form.get('from'));
  if (lengthMs <= 0) faults.set('to', 'It must be later than the beginning.');
  if (lengthMs > longestMs) faults.set('to', tooLong);
  return faults;
}
