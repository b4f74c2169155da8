import type { z } from 'zod';
import type { Tool } from './tool';

/** One thing that is wrong with the arguments of a tool. */
export interface ArgumentFault {
  /** Where: names and indexes, joined by points. */
  readonly argument: string;
  readonly message: string;
}

/** At most so many are told. */
const FAULTS_MAX = 20;

/** A tool was called with arguments that it does not take. */
export class BadArguments extends Error {
  override readonly name = 'BadArguments';

  constructor(
    readonly faults: readonly ArgumentFault[],
    readonly faultTotal: number,
  ) {
    super(faults.map(({ argument, message }) => `${argument}: ${message}`).join('; '));
  }
}

/** The arguments of a tool, checked, with defaults filled in. @throws BadArguments with every fault, at most 20 */
export function readArguments(tool: Tool, given: unknown): z.output<Tool['input']> {
  const read = tool.input.safeParse(given ?? {});
  if (read.success) return read.data;
  const faults = read.error.issues.map((issue) => ({ argument: issue.path.join('.').slice(0, 80), message: wordsOf(issue).slice(0, 200) }));
  throw new BadArguments(faults.slice(0, FAULTS_MAX), faults.length);
}

function wordsOf({ code, message }: z.core.$ZodIssue): string {
  return code === 'invalid_type' && message.endsWith('received undefined') ? 'It is required.' : message;
}
