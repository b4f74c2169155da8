import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MarketEvent } from '@market-state/market-data';
import { scenarioEvents, scenarioNames, scenarioSet, UnknownScenarioError, type ScenarioName } from '@market-state/scenarios';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { choiceOption, numberOption, symbolOption, textOption, type Options } from '../arguments/values';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { withOutput } from '../io/line-output';
import { wholeTable } from '../io/table';
import { FORMATS, writeRows } from './rows';

const BATCH_ITEMS = 1_000;

/** Splits synchronous work into batches so that signals are handled in between. */
async function* inBatches<T>(items: Iterable<T>, signal: AbortSignal): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < BATCH_ITEMS) continue;
    yield batch;
    batch = [];
    await nextTurn();
    signal.throwIfAborted();
  }
  if (batch.length > 0) yield batch;
}

const SEED_MAX = 4_294_967_295;
const HOURS_MAX = 720;
/** Fixed-length log with every scenario. */
const SET = { name: 'set', description: 'All scenarios in one eight-hour log.' } as const;

interface ScenarioSettings {
  readonly name?: string;
  readonly seed: number;
  readonly hours?: number;
  readonly symbol?: string;
  readonly out?: string;
  readonly format: (typeof FORMATS)[number];
}

export function scenarioCommand(): CliCommand {
  return new CliCommand('scenario')
    .summary('generate rows of a seeded synthetic market, or list the scenarios')
    .description(
      'Writes market_state_row.v1 lines of a synthetic market (venue and source kind "simulated"). The same name, seed and length always give ' +
        'the same bytes.\nWithout a name, lists the scenarios.',
    )
    .argument('[name]', 'scenario name, or "set" for all of them in one eight-hour log')
    .option('--seed <n>', `whole number up to ${SEED_MAX}`, '1')
    .option('--hours <h>', 'length of the log in hours (default: 2)')
    .option('--symbol <symbol>', 'symbol of the rows (default: SIMUSD-PERP)')
    .outputOption('output format: ndjson, table or json (one list)', FORMATS, 'ndjson')
    .option('--out <file>', 'write to this file instead of stdout')
    .addHelpText(
      'after',
      '\nExamples:\n  $ market-state scenario\n  $ market-state scenario liquidation_cascade --seed 7 --hours 2 --out rows.ndjson\n',
    )
    .runs<ScenarioSettings>(readSettings, writeScenario);
}

function readSettings(operands: readonly string[], options: Options, fault: Fault): ScenarioSettings {
  const [name, ...others] = operands;
  if (others.length > 0) fault(`name one scenario only, not also ${others.join(', ')}`);
  const hours = numberOption(options, 'hours', { min: 0.01, max: HOURS_MAX, integer: false }, fault);
  if (name === SET.name && hours !== undefined) fault('--hours does not apply to the set, which has a fixed length');
  return {
    name,
    seed: numberOption(options, 'seed', { min: 0, max: SEED_MAX, integer: true }, fault) ?? 1,
    hours,
    symbol: symbolOption(options, fault),
    out: textOption(options, 'out'),
    format: choiceOption(options, 'output', FORMATS, fault),
  };
}

function writeScenario(settings: ScenarioSettings, io: CliIo): Promise<ExitCode> {
  const { name, out, format } = settings;
  if (name !== undefined) return writeRows(inBatches(eventsOf(name, settings), io.signal), format, out, io);
  const scenarios = [...scenarioNames, SET].map(({ name: word, description }) => ({ name: word, description }));
  return withOutput(io, out, async (output) => {
    if (format === 'json') await output.write(JSON.stringify(scenarios, null, 2));
    else
      await output.write(
        ...wholeTable(
          ['name', 'description'],
          scenarios.map((row) => [row.name, row.description]),
        ),
      );
    return EXIT.done;
  });
}

function eventsOf(name: string, { seed, hours, symbol }: ScenarioSettings): Iterable<MarketEvent> {
  if (name === SET.name) return scenarioSet({ seed, symbol }).events;
  try {
    return scenarioEvents({ scenario: name as ScenarioName, seed, hours, symbol });
  } catch (error) {
    throw error instanceof UnknownScenarioError ? badInput(error.message) : error;
  }
}
