import { zoneName } from './clock';
import { currentZone, instantsOf, offsetMs, type Zone, zoneWords } from './zone';

/** 24-hour format in every locale, with seconds if there are any; native inputs vary by locale. */
export const TIME_FORM = 'YYYY-MM-DD HH:MM';

const WRITTEN = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2}))?(?: ?(Z|UTC)?([+-])?(?:(\d{2}):(\d{2}))?)$/;
const OFFSET_AT = 7;
const MINUTE_MS = 60_000;

const exampleIn = (zone: Zone): string =>
  `Use the form ${TIME_FORM}, such as 2026-11-25 18:30, in ${zoneWords(zone)}${zone === 'utc' ? '' : ', or add UTC after it'}.`;

/** Adds the offset if the local time is ambiguous. */
export function fieldTime(ms: number): string {
  const zone = currentZone();
  const secondMs = Math.floor(ms / 1_000) * 1_000;
  const wallMs = secondMs + offsetMs(secondMs, zone);
  const text = new Date(wallMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ').replace(/:00$/, '');
  const isPlain = instantsOf(wallMs, zone).length === 1 && zoneName(secondMs) === zoneName(Date.now());
  return isPlain ? text : `${text} ${zoneName(secondMs)}`;
}

interface ReadTime {
  /** NaN if there is a fault. */
  readonly ms: number;
  readonly fault: string;
}

const faulty = (fault: string): ReadTime => ({ ms: NaN, fault });

function readTime(field: FormDataEntryValue | null, zone: Zone): ReadTime {
  const text = String(field ?? '').trim();
  const written = WRITTEN.exec(text);
  if (written === null) return faulty(text === '' ? `Enter a time. ${exampleIn(zone)}` : exampleIn(zone));
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

function atClocks(wallMs: number, zone: Zone): ReadTime {
  const [ms, later] = instantsOf(wallMs, zone);
  if (ms === undefined) return faulty('This time does not exist in your zone, because daylight saving starts.');
  if (later === undefined) return { ms, fault: '' };
  return faulty(`This time occurs twice in your zone. Add ${zoneName(ms)} or ${zoneName(later)} after it.`);
}

/** NaN if the field has no valid time. */
export const instantOf = (field: FormDataEntryValue | null, zone: Zone = currentZone()): number => readTime(field, zone).ms;

export const timeFault = (field: FormDataEntryValue | null): string => readTime(field, currentZone()).fault;

interface SpanBounds {
  readonly longestMs?: number;
  readonly tooLong?: string;
  /** An empty field sets no bound. */
  readonly isOpen?: boolean;
}

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
  if (lengthMs <= 0) faults.set('to', 'The end must be later than the start.');
  if (lengthMs > longestMs) faults.set('to', tooLong);
  return faults;
}
