import {
  createState,
  type Policy,
  policyChanges,
  relabel,
  TotalsTally,
  type Move,
  type PacketChange,
  type PolicyChange,
  type PolicyTotals,
  type Transitions,
} from '@market-state/labeler';
import { CliCommand } from '../arguments/cli-command';
import { choiceOption, textOption } from '../arguments/values';
import { CliError, EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { INSTRUMENT_OPTION, type Chosen, openFiles, readChosen } from '../io/open-files';
import { count, counted, instant } from '../io/instant';
import { withOutput, ndjsonLine } from '../io/line-output';
import { createProgress } from '../io/progress';
import { readPolicy } from '../io/read-policy';
import { wholeTable } from '../io/table';

/** Changes shown per packet; ndjson output has them all. */
const MOVES_MAX = 10;

function describePolicyChanges(changes: readonly PolicyChange[], digests: { readonly a: string; readonly b: string }): readonly string[] {
  const lines = [`a  ${digests.a}`, `b  ${digests.b}`, ''];
  if (changes.length === 0) return [...lines, 'The two policies are identical.', ''];
  const rows = changes.map(({ file, path, a, b }) => [file, path, shown(a), shown(b)]);
  return [
    ...lines,
    `${counted(changes.length, 'policy value')} ${changes.length === 1 ? 'differs' : 'differ'}`,
    ...wholeTable(['file', 'path', 'a', 'b'], rows),
    '',
  ];
}

/** One window: the changed fields, then the reasons. */
function describePacketChange({ windowEndMs, fields, tagsAdded, tagsRemoved, because }: PacketChange): readonly string[] {
  const lines = [instant(windowEndMs)];
  for (const { field, a, b } of fields) lines.push(`  ${field.padEnd(16)}${a} → ${b}`);
  if (tagsAdded.length + tagsRemoved.length > 0) {
    lines.push(`  ${'tags'.padEnd(16)}${[...tagsAdded.map((tag) => `+${tag}`), ...tagsRemoved.map((tag) => `-${tag}`)].join(' ')}`);
  }
  const listed = [...because].sort((one, other) => KIND_ORDER.indexOf(one.kind) - KIND_ORDER.indexOf(other.kind)).slice(0, MOVES_MAX);
  for (const [index, { kind, name, a, b }] of listed.entries()) {
    lines.push(`  ${(index === 0 ? 'because' : '').padEnd(16)}${kind} ${name} ${shown(a)} → ${shown(b)}`);
  }
  if (because.length > listed.length) lines.push(`  ${''.padEnd(16)}and ${count(because.length - listed.length)} more`);
  return lines;
}

const KIND_ORDER: readonly Move['kind'][] = ['threshold', 'score', 'publication', 'packet', 'norm', 'term'];

function describeTotals(totals: PolicyTotals): readonly string[] {
  const { compared, changed, changedByField, onlyA, onlyB } = totals;
  const share = (part: number): string => `${((100 * part) / Math.max(1, compared)).toFixed(1)} %`;
  const lines = ['', `${counted(compared, 'window')} compared: ${count(changed)} changed, ${share(changed)}`];
  if (onlyA + onlyB > 0) lines.push(`${count(onlyA)} only under a, ${count(onlyB)} only under b`);
  const fields = Object.entries(changedByField).map(([field, total]) => [field, count(total), share(total)]);
  const states = [...new Set([...Object.keys(totals.statesA), ...Object.keys(totals.statesB)])].sort();
  return [
    ...lines,
    '',
    ...wholeTable(['change', 'windows', 'share'], fields, 1),
    '',
    ...wholeTable(
      ['published state', 'a', 'b'],
      states.map((state) => [state, count(totals.statesA[state] ?? 0), count(totals.statesB[state] ?? 0)]),
      1,
    ),
    '',
    'Transitions under a (row to column)',
    ...matrix(states, totals.transitionsA),
    '',
    'Transitions under b',
    ...matrix(states, totals.transitionsB),
  ];
}

/** Columns are numbered because state names are long; the row titles are the legend. */
function matrix(states: readonly string[], transitions: Transitions): readonly string[] {
  const rows = states.map((from, index) => [`${index + 1} ${from}`, ...states.map((to) => count(transitions[from]?.[to] ?? 0))]);
  return wholeTable(['from', ...states.map((_state, index) => String(index + 1))], rows, 1);
}

function shown(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value);
}

const FORMATS = ['table', 'ndjson', 'json'] as const;

interface DiffSettings extends Chosen {
  readonly files: readonly string[];
  readonly a: string;
  readonly b: string;
  readonly out?: string;
  readonly format: (typeof FORMATS)[number];
}

export function diffPolicyCommand(): CliCommand {
  return new CliCommand('diff-policy')
    .summary('label one recording under two policies and explain the differences')
    .description(
      'Labels a recording or rows under two policies. Lists the policy values that differ, every window whose label changes along with the ' +
        'scores, thresholds and terms that moved, and totals under both: shares, states and transitions.\n' +
        'Exits with 0 if every window is the same, 1 otherwise.',
    )
    .argument('<files...>', 'recordings in a known format, or market_state_row.v1 lines')
    .requiredOption('--a <policy>', 'policy folder, one JSON file with all policy files, or "default" for the shipped policy')
    .requiredOption('--b <policy>', 'policy folder, JSON file, or "default"')
    .option('--symbol <symbol>', 'symbol to label; required if the files have several')
    .option(...INSTRUMENT_OPTION)
    .outputOption('output format: table, ndjson or json (one list)', FORMATS, 'table')
    .option('--out <file>', 'write to this file instead of stdout')
    .addHelpText('after', '\nExample:\n  $ market-state diff-policy recording.gz --a default --b ./my-policy\n')
    .runs<DiffSettings>(
      (files, options, fault) => ({
        files,
        ...readChosen(options, fault),
        a: textOption(options, 'a') ?? '',
        b: textOption(options, 'b') ?? '',
        out: textOption(options, 'out'),
        format: choiceOption(options, 'output', FORMATS, fault),
      }),
      diffPolicy,
    );
}

async function diffPolicy(settings: DiffSettings, io: CliIo): Promise<ExitCode> {
  const policies = await readPolicies(settings, io);
  const recording = await openFiles(settings.files, settings, io);
  const table = settings.format === 'table';
  using progress = createProgress(io);
  const tally = new TotalsTally();
  const line = (kind: string, content: object): string => ndjsonLine('market_state_policy_diff.v1', { kind, ...content });
  return await withOutput(
    io,
    settings.out,
    async (output) => {
      const changes = policyChanges(policies.a, policies.b);
      const digests = { a: policies.a.digest, b: policies.b.digest };
      await output.write(...(table ? describePolicyChanges(changes, digests) : changes.map((change) => line('policy_value', change))));
      const states = { a: createState(recording.symbol, policies.a), b: createState(recording.symbol, policies.b) };
      for await (const { a, b } of relabel(recording.events, states)) {
        const change = tally.take({ a: a?.packet ?? null, b: b?.packet ?? null });
        if (change !== null && !(await output.write(...(table ? describePacketChange(change) : [line('window', change)]))))
          return EXIT.different;
        progress.report(() => `${recording.symbol}: ${count(tally.totals().compared)} windows`);
      }
      const totals = tally.totals();
      if (totals.compared + totals.onlyA + totals.onlyB === 0) throw recording.nothingLabelled();
      await output.write(
        ...(table ? describeTotals(totals) : [line('totals', { symbol: recording.symbol, policyDigests: digests, ...totals })]),
      );
      return totals.changed + totals.onlyA + totals.onlyB > 0 ? EXIT.different : EXIT.done;
    },
    settings.format === 'json',
  );
}

/** Reads both before failing, so that the faults of both are reported. */
async function readPolicies({ a, b }: DiffSettings, io: CliIo): Promise<{ readonly a: Policy; readonly b: Policy }> {
  const [readA, readB] = await Promise.allSettled([a, b].map((folder) => readPolicy(folder === 'default' ? undefined : folder, io.cwd)));
  if (readA?.status === 'fulfilled' && readB?.status === 'fulfilled') return { a: readA.value, b: readB.value };
  const reasons = [readA, readB].flatMap((read) => (read?.status === 'rejected' ? [read.reason as unknown] : []));
  const other = reasons.find((reason) => !(reason instanceof CliError));
  if (other !== undefined) throw other;
  throw new CliError(
    EXIT.bad,
    reasons.flatMap((reason) => (reason as CliError).lines),
  );
}
