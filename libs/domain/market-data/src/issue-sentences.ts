import { z } from 'zod';

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
};

const UNITS: Readonly<Record<string, string>> = { array: 'entries', string: 'characters' };

/** Error map for zod's checks without a message of their own: plain English that follows the name of a field. */
export const toSentence: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = issue.inst instanceof z.ZodObject ? `; the fields are ${Object.keys(issue.inst.shape).join(', ')}` : '';
      return `has an unknown field, ${issue.keys.join(', ')}${known}`;
    }
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
    case 'too_small':
      if (issue.minimum === 1 && issue.origin in UNITS) return 'must not be empty';
      return boundSentence(issue.origin, `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`);
    case 'too_big':
      return boundSentence(issue.origin, `at most ${issue.maximum}`);
    default:
      return undefined;
  }
};

function boundSentence(origin: string, bound: string): string {
  const unit = UNITS[origin];
  return unit === undefined ? `must be ${bound}` : `must have ${bound} ${unit}`;
}
