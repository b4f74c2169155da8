/** A plain decimal as an integer and how many of its digits stand behind the point. */
export interface Exact {
  readonly digits: bigint;
  readonly scale: number;
}

/** Of a plain decimal, as entries have them. @throws {SyntaxError} when it is none */
export function exactOf(text: string): Exact {
  const point = text.indexOf('.');
  if (point === -1) return { digits: BigInt(text), scale: 0 };
  return { digits: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

/** a × b */
export function product(a: Exact, b: Exact): Exact {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** Negative, 0 or positive as `a` is less than, equal to or greater than `b`. */
export function compareExact(a: Exact, b: Exact): number {
  const scale = Math.max(a.scale, b.scale);
  const [left, right] = [scaled(a, scale), scaled(b, scale)];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** A sum of decimals without rounding. */
export class ExactSum implements Exact {
  digits = 0n;
  scale = 0;

  add(value: Exact): void {
    if (value.scale > this.scale) {
      this.digits = scaled(this, value.scale);
      this.scale = value.scale;
    }
    this.digits += value.scale === this.scale ? value.digits : scaled(value, this.scale);
  }

  /** In plain notation; zeros at the end are not taken off. */
  toString(): string {
    if (this.scale === 0) return this.digits.toString();
    const isNegative = this.digits < 0n;
    const text = (isNegative ? -this.digits : this.digits).toString().padStart(this.scale + 1, '0');
    const point = text.length - this.scale;
    return `${isNegative ? '-' : ''}${text.slice(0, point)}.${text.slice(point)}`;
  }
}

function scaled({ digits, scale }: Exact, toScale: number): bigint {
  return toScale === scale ? digits : digits * 10n ** BigInt(toScale - scale);
}
