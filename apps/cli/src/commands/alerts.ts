import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Params } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { type ExitCode, badInput, EXIT } from '../cli-error';
import { withClientOptions, type ClientSettings, readClientSettings } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { instantOption, SYMBOL, textOption, type Options } from '../arguments/values';
import { dryRun, runClient } from '../client/run-client';
import { count, counted } from '../io/instant';
import { withOutput } from '../io/line-output';
import { type Row, createRowWriter, writeObject } from '../output/row-writer';
import { formatOf } from '../output/settings';

const RULE_COLUMNS = ['rule_index', 'symbol', 'triggered', 'recovered', 'suppressed', 'flaps', 'holes', 'state'];
const NOTICE_COLUMNS = ['rule_index', 'symbol', 'phase', 'window_end_utc', 'event_id'];

interface RehearsalSettings extends ClientSettings {
  readonly symbols: readonly string[];
  readonly from?: string;
  readonly to?: string;
  /** JSON rule as in an alert; if absent, it is in the file. */
  readonly rule?: string;
  readonly rulesFile?: string;
  /** List each notice instead of totals per rule. */
  readonly areNotices: boolean;
}

function readRehearsalSettings(symbols: readonly string[], options: Options, fault: Fault): RehearsalSettings {
  if (symbols.length === 0) fault('name at least one symbol');
  for (const symbol of symbols) if (!SYMBOL.test(symbol)) fault(`a symbol must look like BTCUSD-PERP, not ${JSON.stringify(symbol)}`);
  const [rule, rulesFile] = [textOption(options, 'rule'), textOption(options, 'rules')];
  if ((rule === undefined) === (rulesFile === undefined)) fault('use either --rule or --rules');
  const [fromMs, toMs] = [instantOption(options, 'from', fault), instantOption(options, 'to', fault)];
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) fault('--to must be after --from');
  const utc = (ms: number | undefined): string | undefined =>
    ms === undefined || Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
  const client = readClientSettings(options, fault);
  return { ...client, symbols, from: utc(fromMs), to: utc(toMs), rule, rulesFile, areNotices: options['notices'] === true };
}

/**
 * Evaluates rules over stored packets with the live code, and counts how often each would have fired, flapped and
 * recovered.
 */
async function rehearse(settings: RehearsalSettings, io: CliIo): Promise<ExitCode> {
  const { symbols, from, to, fields, areNotices } = settings;
  const rules = await rulesOf(settings, io.cwd);
  const span = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  return runClient(io, settings, async (session) => {
    const params = { symbols, rules, ...span } as Params<'rehearseAlerts'>;
    if (settings.isDryRun) return dryRun(session, { operation: 'rehearseAlerts', params: { ...params } }, settings, io);
    const { data } = await session.ms.alerts.rehearse(params, { signal: io.signal });
    const format = formatOf(settings, io.stdout);
    await withOutput(io, undefined, async (output) => {
      if (format === 'json' && fields === undefined) return writeObject(output, { ...data }, format, undefined);
      const columns = fields ?? (areNotices ? NOTICE_COLUMNS : RULE_COLUMNS);
      const writer = createRowWriter(output, { format, columns, areChosen: fields !== undefined, isLive: false });
      for (const rule of data.rules as readonly (Row & { readonly notices: readonly Row[] })[])
        for (const row of areNotices
          ? rule.notices.map((notice) => ({ rule_index: rule['rule_index'], symbol: rule['symbol'], ...notice }))
          : [rule])
          await writer.write(row);
      return writer.end();
    });
    const { packets_looked_at: packets, deliveries, market_state_credits: credits } = data;
    session.say(`${counted(packets, 'packet')} from ${data.from_utc} until ${data.to_utc}`);
    session.say(`${counted(deliveries, 'delivery', 'deliveries')}, would have cost ${counted(credits, 'credit')}`);
    if (areNotices) {
      const shown = data.rules.reduce((sum, { notices }) => sum + notices.length, 0);
      if (shown < deliveries) session.say(`showing ${count(shown)} of them: the service limits the list`);
    }
    return EXIT.done;
  });
}

/** Accepts one rule or a list. @throws CliError (bad input) for anything else */
async function rulesOf({ rule, rulesFile }: RehearsalSettings, cwd: string): Promise<readonly unknown[]> {
  const [name, text] = rulesFile === undefined ? ['--rule', rule ?? ''] : [rulesFile, await textOf(resolve(cwd, rulesFile), rulesFile)];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badInput(`${name}: must be JSON such as {"kind":"state_is","params":{"states":["fragile_depth_watch"]}}`);
  }
  return Array.isArray(value) ? value : [value];
}

async function textOf(path: string, name: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw badInput(`${name}: cannot be read (${error.code ?? error.message})`);
  });
}

export function alertsCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const rehearsal = withClientOptions(new CliCommand('rehearse'))
    .summary('test rules against recent packets')
    .description(
      'Evaluates rules over stored packets with the code that runs live, and shows how often each would have fired, recovered and flapped. The span is limited to 7 days.',
    )
    .argument('[symbols...]', 'one or more symbols')
    .option('--rule <json>', 'rule as in an alert')
    .option('--rules <file>', 'file with one rule or a list of rules')
    .option('--from <time>', 'start, inclusive (default: 24 hours before the end)')
    .option('--to <time>', 'end, exclusive (default: now)')
    .option('--notices', 'list each notice instead of totals')
    .addHelpText(
      'after',
      '\nExample:\n' +
        `  $ market-state alerts rehearse SIMUSD-PERP --rule '{"kind":"state_is","params":{"states":["fragile_depth_watch"]}}' --notices\n`,
    )
    .runs<RehearsalSettings>(readRehearsalSettings, (settings) => rehearse(settings, io), onExitCode);
  return new CliCommand('alerts').summary('rehearse alert rules').addCommand(rehearsal);
}
