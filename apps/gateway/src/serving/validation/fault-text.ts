const INSTANT_TEXT =
  'must be an RFC 3339 time with Z or an offset (in a query the + of an offset must be sent as %2B), a whole number of milliseconds ' +
  'since the epoch, or empty';

const TYPE_TEXTS: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

const SYMBOL_TEXT = 'must look like BTCUSD-PERP: at most 20 capital letters and digits, then USD-PERP';

/** What a parameter must be that doesn't match its pattern, by its name. */
const PATTERN_TEXTS: Readonly<Record<string, string>> = {
  symbol: SYMBOL_TEXT,
  symbols: SYMBOL_TEXT,
  cursor: 'must be the next_cursor of an earlier answer of this list',
  'last-event-id': 'must be the id of a message of this stream, as it was sent',
};

/** A validator's message in words for the caller; one that reads well already stays. `place` is its loc. */
export function faultText(place: readonly (string | number)[], message: string): string {
  if (message === 'must match format "instant-or-empty"') return INSTANT_TEXT;
  if (message.startsWith('must match pattern ')) return PATTERN_TEXTS[String(place[1])] ?? message;
  if (/^must have required property '.*'$/.test(message))
    return place.length === 1 && place[0] === 'body' ? 'is required: send a JSON body' : 'is required';
  if (message === 'must NOT have additional properties') return 'is not a field of this body';
  const words = /^(must be equal to one of the allowed values: ), (.+)$/.exec(message);
  if (words !== null) return `${words[1] ?? ''}${words[2] ?? ''}, or empty`;
  const types = /^must be ([a-z]+(?:,[a-z]+)*)$/.exec(message)?.[1]?.split(',') ?? [];
  const texts = types.flatMap((type) => TYPE_TEXTS[type] ?? []);
  return types.length > 0 && texts.length === types.length ? `must be ${texts.join(' or ')}` : message;
}
