const SHOWN_MAX = 60_000;

interface AnswerText {
  readonly whole: string;
  readonly shown: string;
  readonly isCut: boolean;
  readonly extension: 'json' | 'txt';
}

export function answerText(data: unknown): AnswerText {
  const isText = typeof data === 'string';
  const whole = isText ? data : (JSON.stringify(data, null, 2) ?? '');
  const isCut = whole.length > SHOWN_MAX;
  return { whole, shown: isCut ? whole.slice(0, SHOWN_MAX) : whole, isCut, extension: isText ? 'txt' : 'json' };
}
