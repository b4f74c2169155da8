import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  isDeclaredAbsent,
  readAlerts,
  readBoardQueries,
  readQuery,
  readRunbooks,
  variableOf,
  withoutVariables,
} from '@market-state/monitoring';
import { comesTrue, type System } from '@market-state/testing';
import type { SuiteContext } from '../harness';
import type { Prometheus } from './prometheus';

/** Series of hours that were just archived, of exports and messages just made, come within this time. */
const THERE_MS_MAX = 300_000;
const LOOKS_EVERY_MS = 2_000;
const COMMAND_MS_MAX = 60_000;
/** Characters of an answer that are shown with a failure. */
const SHOWN_MAX = 300;

interface Asked {
  /** Where the query stands. */
  readonly of: string;
  readonly expr: string;
}

/** Every query of a board, and what each alert compares. */
function everyQuery(): Asked[] {
  return [
    ...readBoardQueries().map(({ panel, expr }) => ({ of: panel, expr: withoutVariables(expr) })),
    ...readAlerts().map(({ alert, expr }) => ({ of: alert, expr: readQuery(expr).measured })),
  ];
}

/** Whether a query gives series, or only lacks some that are declared to come with their first occasion. */
async function answerOf({ query }: Prometheus, expr: string): Promise<'series' | 'declared' | readonly string[]> {
  if ((await query(expr)).length > 0) return 'series';
  const absent: string[] = [];
  for (const { metric, text } of readQuery(expr).selectors) {
    if ((await query(text)).length > 0) continue;
    if (isDeclaredAbsent(metric, text)) return 'declared';
    absent.push(text);
  }
  return absent;
}

export async function checkQueries(prometheus: Prometheus, { report, say }: SuiteContext): Promise<void> {
  const asked = everyQuery();
  let waiting = asked;
  const declared: string[] = [];
  let lacking = new Map<string, readonly string[]>();
  const isAnswered = async (): Promise<boolean> => {
    const still: Asked[] = [];
    lacking = new Map();
    declared.length = 0;
    for (const each of waiting) {
      const answer = await answerOf(prometheus, each.expr);
      if (answer === 'series') continue;
      still.push(each);
      if (answer === 'declared') declared.push(`${each.of}: ${each.expr}`);
      else lacking.set(each.expr, answer);
    }
    waiting = still;
    return lacking.size === 0;
  };
  await comesTrue(isAnswered, { limitMs: THERE_MS_MAX, everyMs: LOOKS_EVERY_MS });
  for (const { of, expr } of waiting) {
    const absent = lacking.get(expr);
    if (absent !== undefined)
      report.fail(`"${expr}" (${of}) gives nothing; without series: ${absent.join(', ') || 'none of its metrics'}.`);
  }
  for (const line of declared) say(`nothing yet, as declared: ${line}`);
  report.figure('queries of boards and alerts that give series', `${asked.length - waiting.length} of ${asked.length}`);
  report.figure('others, declared to come with their first occasion', declared.length);
}

/**
 * Runs every command of the runbooks as a person would, with the addresses of this system.
 * @param operator variables by which services know the operator
 */
export async function runCommands(
  prometheus: Prometheus,
  { url, dataDir, processes }: System,
  operator: NodeJS.ProcessEnv,
  { report }: SuiteContext,
): Promise<void> {
  const addresses = processes.names.map((name) => [variableOf(name), `http://127.0.0.1:${processes.portsOf(name).ops}`]);
  const env = { ...process.env, PROMETHEUS: prometheus.url, API: url, DATA_DIR: dataDir, ...operator, ...Object.fromEntries(addresses) };
  let answered = 0;
  for (const { name, commands } of readRunbooks())
    for (const command of commands) {
      const startedMs = performance.now();
      const { printed, fault } = await promisify(execFile)('/bin/sh', ['-c', command], { env, timeout: COMMAND_MS_MAX }).then(
        ({ stdout }) => ({ printed: stdout.trim(), fault: undefined }),
        (error: Error & { stdout?: string }) => ({ printed: error.stdout?.trim() ?? '', fault: error.message }),
      );
      const isAnswer = fault === undefined && printed !== '' && !/"status":"error"/.test(printed);
      if (isAnswer) answered += 1;
      const ms = Math.round(performance.now() - startedMs);
      report.check(isAnswer, `A command of ${name} gives no answer in ${ms} ms: ${command} ${fault ?? ''} ${printed.slice(0, SHOWN_MAX)}`);
    }
  report.figure('commands of runbooks that answered', answered);
}
