/** How a time is written in a field: 24 hours, UTC, seconds where it has some. No field of the browser says it so in every locale. */
export const TIME_FORM = 'YYYY-MM-DD HH:MM';

const WRITTEN = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2}))?(?: ?UTC|Z)?$/;
const EXAMPLE = `Write it as ${TIME_FORM}, such as 2026-11-25 18:30, in UTC.`;

/** An instant as a field shows it, to the second. */
export function fieldTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ').replace(/:00$/, '');
}

interface ReadTime {
  /** NaN where there is a fault. */
  readonly ms: number;
  /** Empty where there is none. */
  readonly fault: string;
}

function readTime(field: FormDataEntryValue | null): ReadTime {
  const text = String(field ?? '').trim();
  const written = WRITTEN.exec(text);
  if (written === null) return { ms: NaN, fault: text === '' ? `Give a time. ${EXAMPLE}` : EXAMPLE };
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = written.slice(1).map((part) => Number(part ?? 0));
  if (month < 1 || month > 12) return { ms: NaN, fault: `There is no month ${month}: months are 01 to 12.` };
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (day < 1 || day > days) return { ms: NaN, fault: `There is no day ${day} in that month: its days are 01 to ${days}.` };
  if (hour > 23) return { ms: NaN, fault: `There is no hour ${hour}: hours are 00 to 23.` };
  if (minute > 59 || second > 59) return { ms: NaN, fault: 'Minutes and seconds are 00 to 59.' };
  return { ms: Date.UTC(year, month - 1, day, hour, minute, second), fault: '' };
}

/** The instant of a field, milliseconds since the epoch; NaN where it has none. */
export const utcOf = (field: FormDataEntryValue | null): number => readTime(field).ms;

/** What is wrong with the time of a field; empty where nothing is. */
export const timeFault = (field: FormDataEntryValue | null): string => readTime(field).fault;

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
  const lengthMs = utcOf(form.get('to')) - utcOf(form.get('from'));
  if (lengthMs <= 0) faults.set('to', 'It must be later than the beginning.');
  if (lengthMs > longestMs) faults.set('to', tooLong);
  return faults;
}
