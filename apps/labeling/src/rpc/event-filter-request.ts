import type { Fault } from '@market-state/errors';
import { instantFaults, symbolFaults } from '@market-state/request-checks';
import type { EventFilter } from '../events/event';
import { givenOrNull, spanFaults } from './span-request';

/** Conditions of a request for events; a value that is empty is no condition. */
interface EventConditions {
  /** Empty: every symbol. */
  readonly symbol: string;
  readonly fromWindowEndMs: number;
  readonly toWindowEndMs: number;
  readonly asOfMs: number;
  readonly words?: readonly string[];
  readonly tags?: readonly string[];
  readonly state?: string;
  readonly eventClass?: string;
  readonly eventProfile?: string;
  readonly severityClass?: string;
}

const WORDS_MAX = 32;
const TAGS_MAX = 16;
/** With a letter, and nothing but letters and digits. */
const WORD = /^(?=.*\p{L})[\p{L}\p{N}]{1,64}$/u;
const TERM = /^[a-z0-9_]{0,96}$/;
const TAG = /^[a-z0-9_]{1,64}(:[a-z0-9_]{1,64}){1,2}$/;

/** The conditions as a filter, and what is wrong with them. */
export function readEventConditions(request: EventConditions): { readonly filter: EventFilter; readonly faults: readonly Fault[] } {
  const { symbol, words = [], tags = [], state = '', eventClass = '', eventProfile = '', severityClass = '' } = request;
  const values = { state, event_class: eventClass, event_profile: eventProfile, severity_class: severityClass };
  const filter: EventFilter = {
    symbol: symbol === '' ? null : symbol,
    fromMs: givenOrNull(request.fromWindowEndMs),
    toMs: givenOrNull(request.toWindowEndMs),
    asOfMs: givenOrNull(request.asOfMs),
    words: [...new Set(words.map((word) => word.toLowerCase()))],
    tags: [...new Set(tags)],
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
  };
  const faults = [
    ...(symbol === '' ? [] : symbolFaults(symbol)),
    ...spanFaults(request),
    ...instantFaults('as_of_ms', request.asOfMs),
    ...listFaults('words', words, WORDS_MAX, WORD, 'must be letters, or letters and digits, at most 64'),
    ...listFaults('tags', tags, TAGS_MAX, TAG, 'must be a tag such as pressure:ask_elevated:short'),
    ...Object.entries(values).flatMap(([field, value]) =>
      TERM.test(value) ? [] : [{ field, message: 'must be lower-case letters, digits and underscores, at most 96', type: 'malformed' }],
    ),
  ];
  return { filter, faults };
}

function listFaults(field: string, items: readonly string[], itemsMax: number, pattern: RegExp, message: string): Fault[] {
  const faults = items.flatMap((item, index) => (pattern.test(item) ? [] : [{ field: `${field}[${index}]`, message, type: 'malformed' }]));
  return items.length > itemsMax ? [{ field, message: `must be at most ${itemsMax}`, type: 'out_of_range' }, ...faults] : faults;
}
