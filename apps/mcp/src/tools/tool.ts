import type { MarketState, OperationId, Params } from '@market-state/client';
import { MARKET_FORM, toSentence } from '@market-state/market-data';
import { z } from 'zod';
import { DETAILS, type Findings, type NextCall } from '../findings';
import type { Run } from '../session';

interface ArgumentFault {
  /** Joined by dots. */
  readonly argument: string;
  readonly message: string;
}

const FAULTS_MAX = 20;
const MESSAGE_CHARACTERS_MAX = 300;

export class BadArguments extends Error {
  override readonly name = 'BadArguments';

  constructor(
    readonly faults: readonly ArgumentFault[],
    readonly faultTotal: number,
  ) {
    super(faults.map(({ argument, message }) => `${argument}: ${message}`).join('; '));
  }
}

/** Fills in defaults. @throws {BadArguments} with up to 20 faults */
export function readArguments(tool: Tool, given: unknown): z.output<Tool['input']> {
  const read = tool.input.safeParse(given ?? {}, { error: toSentence });
  if (read.success) return read.data;
  const faults = read.error.issues.flatMap((issue) => faultsOf(tool, issue));
  throw new BadArguments(faults.slice(0, FAULTS_MAX), faults.length);
}

function faultsOf(tool: Tool, issue: z.core.$ZodIssue): ArgumentFault[] {
  const faultAt = (path: readonly PropertyKey[], message: string): ArgumentFault => ({
    argument: path.map(String).join('.').slice(0, 80),
    message: message.slice(0, MESSAGE_CHARACTERS_MAX),
  });
  if (issue.code !== 'unrecognized_keys') return [faultAt(issue.path, issue.message)];
  const known = issue.path.length === 0 ? `; the arguments of ${tool.name} are ${Object.keys(tool.input.shape).join(', ')}` : '';
  return issue.keys.map((name) => faultAt([...issue.path, name], `is not known${known}`));
}

export type PlannedCall = { readonly [K in OperationId]: { readonly id: K; readonly params: Params<K> } }[OperationId];

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** One or two sentences, ending with the cost. */
  readonly description: string;
  readonly input: Input;
  /** In addition to the common fields. */
  readonly output: Readonly<Record<string, JsonSchema>>;
  /** Changes something: neither read-only nor idempotent. */
  readonly orders?: boolean;
  /** Absent for a free tool. */
  readonly calls?: (args: z.output<Input>) => readonly PlannedCall[];
  /** Answers part of the same; absent if none does. */
  readonly cheaper?: (args: z.output<Input>) => NextCall | null;
  readonly run: (run: Run, args: z.output<Input>) => Promise<Findings>;
}

/** Type-checks a tool's arguments against its functions. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

export const symbol = z.string({ error: toSentence }).regex(MARKET_FORM, 'must look like BTCUSD-PERP');
export const eventId = z
  .string({ error: toSentence })
  .regex(/^evt_[0-9a-z]{26}$/, 'must look like evt_ and 26 characters')
  .describe('event_id of a packet.');
export const instant = z
  .string()
  .max(40)
  .regex(/^(\d{4}-\d{2}-\d{2}T[\d:.]{5,15}(Z|[+-]\d{2}:\d{2})|\d{1,15})$/, 'must be an RFC 3339 time or epoch milliseconds');
export const detail = z.enum(DETAILS).default('concise');
const dryRun = z.boolean().default(false);
export const cursor = z.string().min(1).max(1_000).optional();

export const metered = { detail, dry_run: dryRun };

export const text: JsonSchema = { type: 'string' };
export const number: JsonSchema = { type: 'number' };
export const list: JsonSchema = { type: 'array' };
export const object: JsonSchema = { type: 'object' };

/** Uses the price table or a free quote; adds up both credit kinds. */
export async function creditsAtMost(ms: MarketState, call: PlannedCall): Promise<number> {
  const known = ms.creditsAtMost(call.id as 'getLatest', call.params as Params<'getLatest'>);
  if (known !== null) return known;
  const { maxCredits, maxExportCredits } = await quoteFor(ms, call);
  return maxCredits + maxExportCredits;
}

/** The operation is only known at run time. */
export function quoteFor(ms: MarketState, { id, params }: PlannedCall) {
  return ms.quote(id as 'getLatest', params as Params<'getLatest'>);
}
