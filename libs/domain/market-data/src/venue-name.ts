/**
 * A venue's name of an instrument, as the venue's parser reads it: one that is played as a symbol of its own, one whose symbol a user must
 * give, or one that can't be played. Reasons complete a sentence that begins with the name.
 */
export type VenueName =
  | { readonly type: 'symbol'; readonly symbol: string }
  | { readonly type: 'to_describe'; readonly reason: string; readonly base?: string }
  | { readonly type: 'not_played'; readonly reason: string };

export type VenueNameParser = (name: string) => VenueName;

/** Names as venues have them, of any script. None has a space, a quote, or what parts the pairs of a description. */
export const VENUE_NAME_FORM = /^[^\s\p{C},="'\\]{1,40}$/u;
export const VENUE_NAME_SENTENCE = 'must be 1 to 40 characters without spaces, commas, quotes, = or backslashes';

const BASE = /^[A-Z0-9]{1,20}$/;

/** A perpetual of a base: its symbol, where the base is one that symbols may have. */
export function perpetualOf(base: string): VenueName {
  if (BASE.test(base)) return { type: 'symbol', symbol: `${base}USD-PERP` };
  return { type: 'to_describe', reason: 'has a base of other characters than 1 to 20 capital letters and digits, so no symbol of its own' };
}

/** A perpetual that is not quoted in USDT: another of the same base may be. `base` where the name shows it. */
export function otherQuote(base: string | undefined): VenueName {
  const reason = 'is not quoted in USDT, so it has no symbol of its own';
  return { type: 'to_describe', reason, ...(base !== undefined && BASE.test(base) && { base }) };
}

export function symbolOfName(name: VenueName): readonly string[] {
  return name.type === 'symbol' ? [name.symbol] : [];
}

/** Instruments that are named where none can be played. */
const NAMED_MAX = 5;

/** Why each of the names has no symbol, and how one of them is described; undefined without a name. */
export function adviceOnNames(names: readonly string[], venue: string, parse: VenueNameParser): string | undefined {
  if (names.length === 0) return undefined;
  const read = names.map((name) => [name, parse(name)] as const);
  const reasons = read.slice(0, NAMED_MAX).map(([name, each]) => (each.type === 'symbol' ? name : `${name} ${each.reason}`));
  const more = names.length > NAMED_MAX ? [`and ${names.length - NAMED_MAX} more`] : [];
  const [name, described] = read.find(([, each]) => each.type === 'to_describe') ?? [];
  const advice =
    name !== undefined && described?.type === 'to_describe'
      ? [`say which symbol it is, as --instrument symbol=${described.base ?? '<BASE>'}USD-PERP,venue=${venue},venue_instrument=${name}`]
      : [];
  return [...reasons, ...more, ...advice].join('; ');
}
