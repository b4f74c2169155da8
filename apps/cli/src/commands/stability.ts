import { basename, join, resolve } from 'node:path';
import { readdir, stat } from 'node:fs/promises';
import type { Packet } from '@market-state/labeler';
import { sampleOf } from '@market-state/packet-figures';
import {
  type Estimate,
  type SeverityValidity,
  StabilityError,
  StabilityTally,
  type Stability,
  type StateLift,
  type Validity,
} from '@market-state/report';
import { counted } from '../io/instant';
import { CliCommand } from '../arguments/cli-command';
import { choiceOption, textOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { INSTRUMENT_OPTION, readChosen } from '../io/open-files';
import { withOutput, ndjsonLine } from '../io/line-output';
import { createProgress, type Progress } from '../io/progress';
import { openPacketsOfSymbols, type PacketSourceSettings } from '../io/packet-source';
import { wholeTable } from '../io/table';

/**
 * Files of one recording: a single file, several joined by commas, or a folder whose files are sorted by name.
 * @throws CliError (bad input) if the folder is empty
 */
async function recordingFiles(operand: string, { cwd }: Pick<CliIo, 'cwd'>): Promise<readonly string[]> {
  const found = await stat(resolve(cwd, operand)).catch(() => undefined);
  if (found === undefined) return operand.split(',').filter((name) => name !== '');
  if (!found.isDirectory()) return [operand];
  const entries = await readdir(resolve(cwd, operand), { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
  if (names.length === 0) throw badInput(`${operand}: the folder has no files`);
  return names.sort().map((name) => join(operand, name));
}

interface StabilityRow extends Stability {
  /** File names without folders; null in the total row. */
  readonly input: string | null;
  readonly symbol: string | null;
  /** With `--validity`, of each input and symbol. */
  readonly validity?: Validity;
}

const TEXT_TITLES = ['input', 'symbol', 'largest state'];
const TITLES = [
  ...TEXT_TITLES,
  'its %',
  'live s',
  'flips/h',
  'class/h',
  'session/h',
  'dwell s',
  'not winner %',
  'high %',
  'rank corr.',
  '60 s',
  '300 s',
  'HAR',
];

function stabilityTable(rows: readonly StabilityRow[]): readonly string[] {
  return wholeTable(TITLES, rows.map(cellsOf), TEXT_TITLES.length);
}

function textOf(rows: readonly StabilityRow[]): readonly string[] {
  const reports = rows.flatMap(({ input, symbol, validity }) =>
    validity === undefined ? [] : ['', ...validityReport([input, symbol].join(' '), validity)],
  );
  return [...stabilityTable(rows), ...reports];
}

function cellsOf(row: StabilityRow): readonly string[] {
  const [largest] = row.states;
  const { lastMinute, lastFiveMinutes, har } = row.forecastCorrelations;
  return [
    row.input ?? 'total',
    row.symbol ?? '',
    largest?.value ?? '–',
    percent(largest?.share ?? null),
    String(row.liveSeconds),
    whole(row.flipsPerHour),
    whole(row.classChangesPerHour),
    whole(row.sessionChangesPerHour),
    whole(row.medianDwellSeconds),
    percent(row.notWinnerShare),
    percent(row.highShare),
    correlation(row.severityVolatilityCorrelation),
    correlation(lastMinute.correlation),
    correlation(lastFiveMinutes.correlation),
    correlation(har.correlation),
  ];
}

function correlation(value: number | null): string {
  return value?.toFixed(2).replace('-', '−') ?? '–';
}

function percent(share: number | null): string {
  return whole(share === null ? null : 100 * share);
}

function whole(value: number | null): string {
  return value === null ? '–' : String(Math.round(value));
}

const SOURCES = ['severity', 'last 60 s', 'last 300 s', '60 s + 300 s', 'HAR'] as const;

/** Readable tables of the validity of one symbol's labels. */
function validityReport(title: string, validity: Validity): readonly string[] {
  const { severity, severityWithHar, states, firstHalfHour } = validity;
  return [
    `Validity of ${title}`,
    ...severityReport('Severity against the volatility of the next 60 s', severity),
    ...severityReport('The same on packets with a HAR forecast (1,800 s of unbroken log before them)', severityWithHar),
    ...stateReport(states),
    '',
    `First half hour: ${counted(firstHalfHour.packets, 'live packet')}, ${withUnit(firstHalfHour.highShare)} high or critical`,
  ];
}

function severityReport(title: string, severity: SeverityValidity | null): readonly string[] {
  if (severity === null) return ['', `${title}: fewer than 30 packets`];
  const { correlations, alarmOfClasses, alarmOfShare } = severity;
  const bySource = <T>(
    values: { severity: T; lastMinute: T; lastFiveMinutes: T; blend: T; har: T | null } | null,
  ): readonly (T | null)[] =>
    values === null ? SOURCES.map(() => null) : [values.severity, values.lastMinute, values.lastFiveMinutes, values.blend, values.har];
  const rows: (readonly string[])[] = [
    ['rank correlation', ...bySource(correlations).map(interval)],
    ['severity given 60 s and 300 s', interval(severity.partialGivenTrailing)],
    ['severity given HAR', interval(severity.partialGivenHar)],
    [`alarm, high and critical (${alarmOfClasses?.packets ?? 0})`, ...bySource(alarmOfClasses).map(share)],
    [`alarm, highest 13 % (${alarmOfShare?.packets ?? 0})`, ...bySource(alarmOfShare).map(share)],
  ];
  return [
    '',
    `${title}: ${counted(severity.packets, 'packet')} in ${counted(severity.halfHours, 'half hour')}`,
    ...wholeTable(['', ...SOURCES], rows),
  ];
}

function stateReport(states: readonly StateLift[]): readonly string[] {
  if (states.length === 0) return [];
  const titles = ['state', 'outcome', 'claims', 'packets', 'given last', 'given last and longer', 'verdict'];
  const rows = states.map(({ state, outcome, claims, packets, givenLast, givenBlend, verdict }) => [
    state,
    words(outcome ?? ''),
    claims ?? '–',
    String(packets),
    points(givenLast),
    points(givenBlend),
    words(verdict),
  ]);
  return ['', 'States on what they claim: lift in rank points of 100 over packets with an equal baseline', ...wholeTable(titles, rows)];
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function interval(estimate: Estimate | null): string {
  return withInterval(estimate, (value) => signed(value, 2));
}

function points(estimate: Estimate | null): string {
  return withInterval(estimate, (value) => signed(value, 1, '+'));
}

function signed(value: number, decimals: number, plus = ''): string {
  const digits = Math.abs(value).toFixed(decimals);
  return Number(digits) === 0 ? digits : `${value < 0 ? '−' : plus}${digits}`;
}

function withInterval(estimate: Estimate | null, text: (value: number) => string): string {
  if (estimate === null) return '–';
  const { value, low, high } = estimate;
  return low === null || high === null ? text(value) : `${text(value)} [${text(low)}, ${text(high)}]`;
}

function share(value: number | null): string {
  return value?.toFixed(2) ?? '–';
}

function withUnit(share: number | null): string {
  return share === null ? '–' : `${percent(share)} %`;
}

const FORMATS = ['table', 'ndjson', 'json'] as const;

interface StabilitySettings extends Omit<PacketSourceSettings, 'files'> {
  readonly inputs: readonly string[];
  readonly validity: boolean;
  readonly format: (typeof FORMATS)[number];
  readonly out?: string;
}

export function stabilityCommand(): CliCommand {
  return new CliCommand('stability')
    .summary('measure label stability: flips, dwell, shares, and severity against later volatility')
    .description(
      'Labels recordings or rows, or reads packets, and prints a row per input and symbol plus a total.\n' +
        'Live packets are those not won by insufficient_evidence or replay_context_ready:\n' +
        '  its %         share of the most common published state\n' +
        '  live s        ten seconds per live packet\n' +
        '  flips/h       changes of the published state per live hour, not counting moves into or out of those two\n' +
        '  class/h       changes of the event class per live hour\n' +
        '  session/h     changes of the session state per live hour\n' +
        '  dwell s       median length of a run of one published state\n' +
        '  not winner %  share of all packets whose published state is not their raw winner\n' +
        '  high %        share of live packets with severity high_context or critical_context\n' +
        '  rank corr.    Spearman correlation of severity and the realized volatility of the next 60 s: the square root of the sum of squares of\n' +
        '                sixty one-second log returns of the mid. Needs the log, so it is absent for packet input\n' +
        '  60 s, 300 s   the same for the realized volatility of the last 60 s and 300 s\n' +
        '  HAR           the same for a forecast from 10 s, 60 s, 300 s and 1,800 s\n' +
        'With --validity, a report follows for each input and symbol: severity against these forecasts with 90 % intervals, the share of ' +
        'the wildest minutes that each finds, and each state against the outcome that it claims. docs/validity.md explains it.',
    )
    .argument('<inputs...>', 'files; join several of one recording with commas, or pass a folder')
    .option('--symbol <symbol>', 'only this symbol')
    .option(...INSTRUMENT_OPTION)
    .option('--policy <policy>', 'policy to label with (default: the shipped policy)')
    .option('--validity', 'also compare severity and states with the minutes that follow them')
    .outputOption('output format: table, or every share as ndjson or json (one list)', FORMATS, 'table')
    .option('--json', 'same as --output ndjson')
    .option('--out <file>', 'write to this file instead of stdout')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state stability btcusd_perp_20240808.gz,btcusd_perp_20240809.gz\n' +
        '  $ market-state scenario set --out set.ndjson && market-state stability set.ndjson\n' +
        '  $ market-state stability day/ --validity\n',
    )
    .runs<StabilitySettings>(
      (inputs, options, fault) => ({
        inputs,
        ...readChosen(options, fault),
        policy: textOption(options, 'policy'),
        validity: options['validity'] === true,
        format: options['json'] === true ? 'ndjson' : choiceOption(options, 'output', FORMATS, fault),
        out: textOption(options, 'out'),
      }),
      stability,
    );
}

async function stability(settings: StabilitySettings, io: CliIo): Promise<ExitCode> {
  using progress = createProgress(io);
  const together = new StabilityTally();
  const rows: StabilityRow[] = [];
  for (const input of settings.inputs) {
    const files = await recordingFiles(input, io);
    for (const [symbol, tally] of await measure({ ...settings, files }, io, progress)) {
      const measured = { ...tally.result(), ...(settings.validity ? { validity: tally.validity() } : {}) };
      rows.push({ input: files.map((file) => basename(file)).join(','), symbol, ...measured });
      together.include(tally);
    }
  }
  progress.end();
  if (rows.length > 1) rows.push({ input: null, symbol: null, ...together.result() });
  return withOutput(
    io,
    settings.out,
    async (output) => {
      await output.write(...(settings.format === 'table' ? textOf(rows) : rows.map((row) => ndjsonLine('market_state_stability.v1', row))));
      return EXIT.done;
    },
    settings.format === 'json',
  );
}

async function measure(settings: PacketSourceSettings, io: CliIo, progress: Progress): Promise<ReadonlyMap<string, StabilityTally>> {
  const tallies = new Map<string, StabilityTally>();
  const tallyOf = (symbol: string): StabilityTally => {
    const tally = tallies.get(symbol) ?? new StabilityTally();
    tallies.set(symbol, tally);
    return tally;
  };
  for (const { steps } of await openPacketsOfSymbols(settings, io, progress)) {
    for await (const batch of steps) {
      for (const { entry, packets } of batch) {
        if (entry !== undefined) tallyOf(entry.symbol).addEntry(entry);
        for (const packet of packets) addPacket(tallyOf(packet.symbol), packet);
      }
    }
  }
  if (tallies.size === 0) throw badInput(`${settings.files.join(', ')}: no packets of ${settings.symbol ?? 'any symbol'}`);
  return tallies;
}

function addPacket(tally: StabilityTally, packet: Packet): void {
  try {
    tally.addPacket(sampleOf(packet));
  } catch (error) {
    throw error instanceof StabilityError ? badInput(`${packet.symbol}: ${error.message}`) : error;
  }
}
