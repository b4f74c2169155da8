import { isObject, type Json } from '../json';

/**
 * At most 64 digits on either side of the point; only as-sent values may have trailing zeros. The schema file uses the
 * same patterns.
 */
export const DECIMAL_PATTERNS = {
  positive: /^(?!0$)(?:0|[1-9][0-9]{0,63})(?:\.[0-9]{0,63}[1-9])?$/,
  /** Price or quantity as sent: trailing zeros allowed. */
  asSent: /^(?![0.]+$)(?:0|[1-9][0-9]{0,63})(?:\.[0-9]{1,64})?$/,
  /** Same, including zero. */
  unsignedAsSent: /^(?:0|[1-9][0-9]{0,63})(?:\.[0-9]{1,64})?$/,
  /** Same, of either sign; no negative zero. */
  signedAsSent: /^(?!-[0.]+$)-?(?:0|[1-9][0-9]{0,63})(?:\.[0-9]{1,64})?$/,
} as const;
type DecimalKind = keyof typeof DECIMAL_PATTERNS;

const DECIMAL_WORDS: Readonly<Record<DecimalKind, string>> = {
  positive: 'a positive decimal string in plain notation',
  asSent: 'a positive decimal string',
  unsignedAsSent: 'an unsigned decimal string',
  signedAsSent: 'a decimal string',
};

/** Reads an object's fields and collects all faults. Results are placeholders once `faults` is not empty. */
export class RowFields {
  private readCount = 0;
  private readonly names: string[] = [];

  constructor(
    private readonly object: Json,
    private readonly faults: string[],
    private readonly path = '',
  ) {}

  value(name: string): unknown {
    const value = this.object[name];
    this.names.push(name);
    if (value !== undefined) this.readCount++;
    return value;
  }

  text(name: string): string {
    const value = this.value(name);
    return typeof value === 'string' ? value : this.fault(name, 'must be a string', '');
  }

  name(name: string): string {
    const value = this.value(name);
    return typeof value === 'string' && value !== '' ? value : this.fault(name, 'must be a non-empty string', '');
  }

  matching(name: string, pattern: RegExp, words: string): string {
    const value = this.value(name);
    return typeof value === 'string' && pattern.test(value) ? value : this.fault(name, `must be ${words}`, '');
  }

  optionalMatching(name: string, pattern: RegExp, words: string): string | undefined {
    return this.isThere(name) ? this.matching(name, pattern, words) : undefined;
  }

  flag(name: string): boolean {
    const value = this.value(name);
    return typeof value === 'boolean' ? value : this.fault(name, 'must be true or false', false);
  }

  integer(name: string, min = 0): number {
    const value = this.value(name);
    return Number.isSafeInteger(value) && (value as number) >= min
      ? (value as number)
      : this.fault(name, `must be an integer of at least ${min}`, min);
  }

  decimal(name: string, kind: DecimalKind = 'positive'): string {
    return this.matching(name, DECIMAL_PATTERNS[kind], DECIMAL_WORDS[kind]);
  }

  optionalDecimal(name: string, kind: DecimalKind): string | undefined {
    return this.isThere(name) ? this.decimal(name, kind) : undefined;
  }

  optionalInteger(name: string, min: number): number | undefined {
    return this.isThere(name) ? this.integer(name, min) : undefined;
  }

  optionalFlag(name: string): boolean | undefined {
    return this.isThere(name) ? this.flag(name) : undefined;
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T {
    const value = this.value(name);
    const known = choices.find((choice) => choice === value);
    return known ?? this.fault(name, `must be one of ${choices.join(', ')}`, choices[0] as T);
  }

  orNull(name: string, read: (name: string) => void): void {
    if (this.object[name] === null) this.value(name);
    else read(name);
  }

  nested(name: string): Json | undefined {
    const value = this.value(name);
    return isObject(value) ? value : this.fault(name, 'must be an object', undefined);
  }

  list(name: string, min: number, max: number): readonly unknown[] {
    const value = this.value(name);
    if (Array.isArray(value) && value.length >= min && value.length <= max) return value as readonly unknown[];
    return this.fault(name, `must be a list of ${min} to ${max} items`, []);
  }

  fault<T>(name: string, sentence: string, placeholder: T): T {
    this.faults.push(`${this.path}${name} ${this.object[name] === undefined ? 'is missing' : sentence}`);
    return placeholder;
  }

  /** Call last: reports unread fields as faults. */
  end(): void {
    if (Object.keys(this.object).length === this.readCount) return;
    for (const name of Object.keys(this.object)) {
      if (!this.names.includes(name)) this.faults.push(`${this.path}${name} is not a known field`);
    }
  }

  private isThere(name: string): boolean {
    if (this.object[name] !== undefined) return true;
    this.names.push(name);
    return false;
  }
}
