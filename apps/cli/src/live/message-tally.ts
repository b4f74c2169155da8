import { type ExpectedMessages, venueOf } from '@market-state/market-data';
import { fieldsOf } from './fields-of';

/** Messages of a kind whose fields are looked at; the rest is only counted. */
const LOOKED_AT = 200;

interface KindTally {
  total: number;
  readonly unknownFields: Map<string, number>;
}

/** Counts a symbol's messages by kind, and what in them the adapter does not know. */
export class MessageTally {
  private readonly kinds = new Map<string, KindTally>();
  private readonly expected: ExpectedMessages;
  private unreadable = 0;

  /** @throws RangeError when no live messages of the venue are known */
  constructor(venue: string) {
    const expected = venueOf(venue)?.live?.expected;
    if (expected === undefined) throw new RangeError(`no live messages of ${venue} are known`);
    this.expected = expected;
  }

  take(text: string): void {
    const message = parsed(text);
    if (message === undefined) {
      this.unreadable++;
      return;
    }
    const found = this.expected.kindOf(message);
    if (found === undefined) return;
    const tally = this.kinds.get(found.kind) ?? { total: 0, unknownFields: new Map<string, number>() };
    this.kinds.set(found.kind, tally);
    if (tally.total++ >= LOOKED_AT) return;
    const known = this.expected.messages[found.kind]?.fields;
    if (known === undefined) return;
    for (const field of fieldsOf(found.body))
      if (!known.includes(field)) tally.unknownFields.set(field, (tally.unknownFields.get(field) ?? 0) + 1);
  }

  /** How many came of each kind. */
  get totals(): readonly (readonly [kind: string, total: number])[] {
    return [...this.kinds].map(([kind, { total }]) => [kind, total]);
  }

  /** Sentences: kinds that never came. */
  get missing(): readonly string[] {
    return Object.entries(this.expected.messages).flatMap(([kind, { isRare }]) =>
      isRare !== true && !this.kinds.has(kind) ? [`no ${kind} message came`] : [],
    );
  }

  /** Sentences: kinds and fields that are not known, and what could not be read. */
  get unknown(): readonly string[] {
    const { messages } = this.expected;
    const unknown = [...this.kinds].flatMap(([kind, { total, unknownFields }]) => {
      if (!(kind in messages)) return [`${kind} is an unknown kind of message; ${total} came`];
      return [...unknownFields].map(
        ([field, times]) => `${kind} has an unknown field ${field}, in ${times} of the first ${Math.min(total, LOOKED_AT)}`,
      );
    });
    return [...unknown, ...(this.unreadable > 0 ? [`input that is not JSON came ${this.unreadable} times`] : [])];
  }
}

/** An object; a list, as an answer of a REST route is, counts as one without fields. */
function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? Array.isArray(value)
        ? { channel: 'pong' }
        : (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
