import type { MarketState, OperationId, Params } from '@market-state/client';
import { z } from 'zod';
import { DETAILS, type NextCall } from '../answers/fit';
import type { Findings } from '../answers/findings';
import type { Run } from '../session';

/** One thing that is wrong with the arguments of a tool. */
interface ArgumentFault {
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

/** A call of the service that a tool would make. */
export type PlannedCall = { readonly [K in OperationId]: { readonly id: K; readonly params: Params<K> } }[OperationId];

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as it is offered to agents. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** What it answers, in a sentence or two; the end, what it costs. */
  readonly description: string;
  readonly input: Input;
  /** Schemas of what it answers, beside what every answer has. */
  readonly output: Readonly<Record<string, JsonSchema>>;
  /** Whether it changes something: then it is neither read-only nor idempotent. */
  readonly orders?: boolean;
  /** The calls that it makes; absent from a tool that costs nothing. */
  readonly calls?: (args: z.output<Input>) => readonly PlannedCall[];
  /** A call that answers part of the same for fewer credits; absent: none does. */
  readonly cheaper?: (args: z.output<Input>) => NextCall | null;
  readonly run: (run: Run, args: z.output<Input>) => Promise<Findings>;
}

/** Keeps the type of a tool's arguments with its functions. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

export const symbol = z.string().regex(/^[A-Z0-9]{1,20}USD-PERP$/, 'must look like BTCUSD-PERP');
export const eventId = z
  .string()
  .regex(/^evt_[0-9a-z]{26}$/, 'must look like evt_ and 26 characters')
  .describe('event_id of a packet.');
export const instant = z
  .string()
  .max(40)
  .regex(/^(\d{4}-\d{2}-\d{2}T[\d:.]{5,15}(Z|[+-]\d{2}:\d{2})|\d{1,15})$/, 'must be an RFC 3339 time or epoch milliseconds');
export const detail = z.enum(DETAILS).default('concise');
const dryRun = z.boolean().default(false);
export const cursor = z.string().min(1).max(1_000).optional();

/** Arguments of a metered tool beside its own. */
export const metered = { detail, dry_run: dryRun };

export const text: JsonSchema = { type: 'string' };
export const number: JsonSchema = { type: 'number' };
export const list: JsonSchema = { type: 'array' };
export const object: JsonSchema = { type: 'object' };

/** The most that a call can cost: by the price table, else by a quote, which is free. Credits of both kinds together. */
export async function creditsAtMost(ms: MarketState, call: PlannedCall): Promise<number> {
  const known = ms.creditsAtMost(call.id as 'getLatest', call.params as Params<'getLatest'>);
  if (known !== null) return known;
  const { maxCredits, maxExportCredits } = await quoteFor(ms, call);
  return maxCredits + maxExportCredits;
}

/** A quote of a call, which binds it. Which operation it is of is known while the server runs alone. */
export function quoteFor(ms: MarketState, { id, params }: PlannedCall) {
  return ms.quote(id as 'getLatest', params as Params<'getLatest'>);
}
