import { createState, type Policy, policyChanges, relabel, TotalsTally } from '@market-state/labeler';
import { CliCommand } from '../arguments/cli-command';
import { choiceOption, symbolOption, textOption } from '../arguments/values';
import { CliError, EXIT, type ExitCode } from '../cli-error';
import { describePacketChange, describePolicyChanges, describeTotals } from '../diff-policy/describe';
import type { CliIo } from '../io/cli-io';
import { INSTRUMENT_OPTION } from '../io/described-instrument';
import { count } from '../io/instant';
import { withOutput } from '../io/line-output';
import { ndjsonLine } from '../io/ndjson';
import { openFiles } from '../io/open-files';
import { createProgress } from '../io/progress';
import { readPolicy } from '../io/read-policy';

const FORMATS = ['table', 'ndjson'] as const;

interface DiffSettings {
  readonly files: readonly string[];
  readonly symbol?: string;
  readonly instrument?: string;
  readonly a: string;
  readonly b: string;
  readonly out?: string;
  readonly format: (typeof FORMATS)[number];
}

/** `diff-policy`: what another policy would have said of the same log, and why. */
export function diffPolicyCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return new CliCommand('diff-policy')
    .summary('label one recording under two policies and list what changes, and why')
    .description(
      'Labels a recording or rows under two policies and lists which policy values differ, every window that reads differently with the ' +
        'scores, thresholds and terms that moved, and totals: shares, states and transitions under both.\n' +
        'Exits with 0 if every window reads the same, else 1.',
    )
    .argument('<files...>', 'recordings of a known format, or market_state_row.v1 lines')
    .requiredOption('--a <policy>', 'policy folder, a JSON file of all its files, or "default" for the shipped policy')
    .requiredOption('--b <policy>', 'policy folder, JSON file, or "default"')
    .option('--symbol <symbol>', 'the symbol to label, if the files have several')
    .option(...INSTRUMENT_OPTION)
    .outputOption('how results are printed: table or ndjson', FORMATS, 'table')
    .option('--out <file>', 'write there instead of to stdout')
    .addHelpText('after', '\nExample:\n  $ market-state diff-policy recording.gz --a default --b ./my-policy\n')
    .runs<DiffSettings>(
      (files, options, fault) => ({
        files,
        symbol: symbolOption(options, fault),
        instrument: textOption(options, 'instrument'),
        a: textOption(options, 'a') ?? '',
        b: textOption(options, 'b') ?? '',
        out: textOption(options, 'out'),
        format: choiceOption(options, 'output', FORMATS, fault),
      }),
      (settings) => diffPolicy(settings, io),
      onExitCode,
    );
}

async function diffPolicy(settings: DiffSettings, io: CliIo): Promise<ExitCode> {
  const policies = await readPolicies(settings, io);
  const recording = await openFiles(settings.files, settings, io);
  const table = settings.format === 'table';
  const progress = createProgress(io);
  const tally = new TotalsTally();
  const line = (kind: string, content: object): string => ndjsonLine('market_state_policy_diff.v1', { kind, ...content });
  try {
    return await withOutput(io, settings.out, async (output) => {
      const changes = policyChanges(policies.a, policies.b);
      const digests = { a: policies.a.digest, b: policies.b.digest };
      await output.write(...(table ? describePolicyChanges(changes, digests) : changes.map((change) => line('policy_value', change))));
      const states = { a: createState(recording.symbol, policies.a), b: createState(recording.symbol, policies.b) };
      for await (const { a, b } of relabel(recording.events, states)) {
        const change = tally.take({ a: a?.packet ?? null, b: b?.packet ?? null });
        if (change !== null && !(await output.write(...(table ? describePacketChange(change) : [line('window', change)]))))
          return EXIT.different;
        progress.tell(() => `${recording.symbol}: ${count(tally.totals().compared)} windows`);
      }
      const totals = tally.totals();
      if (totals.compared + totals.onlyA + totals.onlyB === 0) throw recording.nothingLabelled();
      await output.write(
        ...(table ? describeTotals(totals) : [line('totals', { symbol: recording.symbol, policyDigests: digests, ...totals })]),
      );
      return totals.changed + totals.onlyA + totals.onlyB > 0 ? EXIT.different : EXIT.done;
    });
  } finally {
    progress.end();
  }
}

/** Reads both; the faults of both are told at once. */
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
