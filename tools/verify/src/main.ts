import { parseArgs } from 'node:util';
import type { FormSettings, Suite, SuiteSettings } from './harness';
import { APART, runApart, runForParent, type SuiteRun, summaryOf } from './run-suites';
import { suites } from './suites';

const USAGE = `Usage: npm run verify -- [list | <id>...] [--short] [--seed N]
  Without an id: runs every suite this machine supports, in its long form, or with --short in its short form.
  For a single suite: [--budget N | --seeds N | --kills N] [--messages N] [--rules N] [--symbols N] [--minutes N]
                      [--only PART] [--small] [--from COMMIT]`;

type Given = Partial<Omit<SuiteSettings, 'isShort' | 'say'>>;

interface Order {
  readonly chosen: readonly Suite[];
  /** A suite named on the command line must run. */
  readonly isNamed: boolean;
  readonly isShort: boolean;
  readonly given: Given;
}

class UsageError extends Error {}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function list(): void {
  for (const { id, claim, budget, short } of suites)
    say(`${id.padEnd(12)}  ${claim} (budget: ${budget.default}, short ${short.budget}; ${budget.counts})`);
}

function readArguments() {
  try {
    return parseArgs({
      args: process.argv.slice(2).filter((arg) => arg !== '--'),
      allowPositionals: true,
      options: {
        help: { type: 'boolean' },
        short: { type: 'boolean' },
        seed: { type: 'string' },
        budget: { type: 'string' },
        seeds: { type: 'string' },
        kills: { type: 'string' },
        rules: { type: 'string' },
        symbols: { type: 'string' },
        messages: { type: 'string' },
        minutes: { type: 'string' },
        only: { type: 'string' },
        small: { type: 'boolean' },
        from: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

function readOrder(): Order | undefined {
  const { positionals, values } = readArguments();
  if (values.help === true) throw new UsageError(USAGE);
  if (positionals[0] === 'list') return undefined;
  const unknown = positionals.filter((name) => !suites.some(({ id }) => id === name));
  if (unknown.length > 0)
    throw new UsageError(`Unknown suite ${unknown.join(', ')}. \`npm run verify -- list\` lists all suites.\n${USAGE}`);
  const given = {
    seed: wholeNumber('seed', values.seed),
    budget: wholeNumber('seeds', values.seeds) ?? wholeNumber('kills', values.kills) ?? wholeNumber('budget', values.budget),
    messages: wholeNumber('messages', values.messages),
    rules: wholeNumber('rules', values.rules),
    symbols: wholeNumber('symbols', values.symbols),
    minutes: wholeNumber('minutes', values.minutes),
    only: values.only,
    isSmall: values.small,
    from: values.from,
  };
  const { seed, ...ofOne } = withoutAbsent(given);
  if (Object.keys(ofOne).length > 0 && positionals.length !== 1)
    throw new UsageError(`Options other than --short and --seed require a single suite.\n${USAGE}`);
  return {
    chosen: positionals.length === 0 ? suites : suites.filter(({ id }) => positionals.includes(id)),
    isNamed: positionals.length > 0,
    isShort: values.short ?? false,
    given: withoutAbsent({ seed, ...ofOne }),
  };
}

function withoutAbsent<T extends object>(settings: T): Partial<T> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${option} must be a positive integer, not "${text}".`);
  return value;
}

async function runOne({ id, claim, budget, short, needs = [] }: Suite, { isShort, given }: Order, stop: AbortSignal): Promise<SuiteRun> {
  const form = isShort ? 'short' : 'long';
  const reasons = needs.flatMap((need) => need() ?? []);
  if (reasons.length > 0) {
    say(`\n# ${id}: skipped, ${reasons.join('; ')}`);
    return { id, form, result: 'skipped', seconds: 0, seed: undefined, note: reasons.join('; ') };
  }
  const long: FormSettings = { seed: Date.now() % 1_000_000, budget: budget.default, inTime: true };
  const { inTime = false, triesMax = 1, ...ofForm } = isShort ? short : long;
  const settings = { ...ofForm, ...given, isShort };
  say(`\n# ${id} (${form}): ${claim}`);
  say(`seed ${settings.seed}, budget ${settings.budget}: ${budget.counts}`);
  const startedMs = performance.now();
  const { failures, timing, figures, seed } = await runApart({ id, settings, triesMax }, stop);
  const seconds = (performance.now() - startedMs) / 1_000;
  for (const [name, figure] of figures) say(`  ${name}: ${figure}`);
  for (const sentence of timing) say(`  ${inTime ? 'FAILED' : 'late'}: ${sentence}`);
  for (const sentence of failures) say(`  FAILED: ${sentence}`);
  const total = failures.length + (inTime ? timing.length : 0);
  say(`${id}: ${total === 0 ? 'passed' : `${total} failed`} in ${seconds.toFixed(1)} s (seed ${seed})`);
  return { id, form, result: total === 0 ? 'passed' : 'failed', seconds, seed, note: total === 0 ? '' : `${total} failed` };
}

async function main(): Promise<void> {
  const order = readOrder();
  if (order === undefined) return list();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  const runs: SuiteRun[] = [];
  for (const suite of order.chosen) if (!stop.signal.aborted) runs.push(await runOne(suite, order, stop.signal));
  say('');
  for (const line of summaryOf(runs)) say(line);
  const isGood = runs.every(({ result }) => result === 'passed' || (result === 'skipped' && !order.isNamed));
  process.exitCode = isGood && !stop.signal.aborted ? 0 : 1;
}

if (process.argv[2] === APART) runForParent();
else
  main().catch((error: Error) => {
    say(error instanceof UsageError ? error.message : (error.stack ?? error.message));
    process.exitCode = 2;
  });
