/** Most characters of an answer that a page shows. */
const SHOWN_MAX = 60_000;

/** An answer as text. */
export interface AnswerText {
  readonly whole: string;
  /** All of it, or its first part. */
  readonly shown: string;
  readonly isCut: boolean;
  /** What it is, for whoever saves it. */
  readonly extension: 'json' | 'txt';
}

/** An answer as a page shows it: JSON with its fields under each other, a text as it is; of a long one the first part. */
export function answerText(data: unknown): AnswerText {
  const isText = typeof data === 'string';
  const whole = isText ? data : (JSON.stringify(data, null, 2) ?? '');
  const isCut = whole.length > SHOWN_MAX;
  return { whole, shown: isCut ? whole.slice(0, SHOWN_MAX) : whole, isCut, extension: isText ? 'txt' : 'json' };
}
