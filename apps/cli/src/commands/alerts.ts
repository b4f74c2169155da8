import type { Params } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { checkSymbol, type Options, spanOption, textOption } from '../arguments/values';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import { callCommand, listCommand, type RecordKind, withParts } from '../client/call-command';
import { runCall } from '../client/run-client';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { count, counted } from '../io/instant';
import { withOutput } from '../io/line-output';
import { readText } from '../io/text-file';
import { createRowWriter, present, type Row, writeObject } from '../output/row-writer';
import { formatOf } from '../output/settings';
import { ALERTS, WATCHLISTS } from '../reads/own-reads';

const RULE_COLUMNS = ['rule_index', 'symbol', 'triggered', 'recovered', 'suppressed', 'flaps', 'holes', 'state'];
const NOTICE_COLUMNS = ['rule_index', 'symbol', 'phase', 'window_end_utc', 'event_id'];

interface RehearsalSettings extends ClientSettings, RulesSource {
  readonly symbols: readonly string[];
  readonly from?: string;
  readonly to?: string;
  /** List each notice instead of totals per rule. */
  readonly areNotices: boolean;
}

function readRehearsalSettings(symbols: readonly string[], options: Options, fault: Fault): RehearsalSettings {
  readSymbols(symbols, fault);
  const [source, span] = [readRulesSource(options, fault), spanOption(options, fault)];
  return { ...readClientSettings(options, fault), ...source, ...span, symbols, areNotices: options['notices'] === true };
}

async function rehearse(settings: RehearsalSettings, io: CliIo): Promise<ExitCode> {
  const { symbols, from, to, fields, areNotices } = settings;
  const rules = await rulesOf(settings, io);
  const params = present({ symbols, rules, from, to }) as Params<'rehearseAlerts'>;
  return runCall(io, settings, { operation: 'rehearseAlerts', params: { ...params } }, async (session) => {
    const { data } = await session.ms.alerts.rehearse(params, { signal: io.signal });
    const format = formatOf(settings, io.stdout);
    await withOutput(io, undefined, async (output) => {
      if (format === 'json' && fields === undefined) return writeObject(output, { ...data }, format, undefined);
      const columns = fields ?? (areNotices ? NOTICE_COLUMNS : RULE_COLUMNS);
      const writer = createRowWriter(output, { format, columns, areChosen: fields !== undefined, isLive: false });
      for (const rule of data.rules as readonly (Row & { readonly notices: readonly Row[] })[])
        for (const row of areNotices
          ? rule.notices.map((notice) => ({ rule_index: rule['rule_index'], symbol: rule['symbol'], venue: rule['venue'], ...notice }))
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

const ALERT: RecordKind = { parameter: 'alert_id', prefix: 'al_', listedBy: 'alerts list' };

/** `alerts list`, `show`, `create`, `mute`, `unmute`, `delete` and `rehearse`. */
export function alertsCommand(): CliCommand {
  const rehearsal = withClientOptions(withRuleOptions(new CliCommand('rehearse')))
    .summary('test rules against recent packets')
    .description(
      'Evaluates rules over stored packets with the code that runs live, and shows how often each would have fired, recovered and flapped. The span is limited to 7 days.',
    )
    .argument('[symbols...]', 'one or more symbols')
    .option('--from <time>', 'start, inclusive (default: 24 hours before the end)')
    .option('--to <time>', 'end, exclusive (default: now)')
    .option('--notices', 'list each notice instead of totals')
    .addHelpText(
      'after',
      '\nExample:\n' +
        `  $ market-state alerts rehearse SIMUSD-PERP --rule '{"kind":"state_is","params":{"states":["fragile_depth_watch"]}}' --notices\n`,
    )
    .runs<RehearsalSettings>(readRehearsalSettings, rehearse);
  const creation = withRuleOptions(new CliCommand('create').argument('[symbol]', 'symbol to watch'))
    .option('--name <name>', 'name of the alert')
    .addHelpText(
      'after',
      '\nExample:\n' +
        `  $ market-state alerts create BTCUSD-PERP --rule '{"kind":"state_is","params":{"states":["fragile_depth_watch"]}}'\n`,
    );
  return withParts('alerts', 'rules on one symbol: list, create, mute, delete, rehearse', [
    listCommand(new CliCommand('list'), ALERTS),
    callCommand(new CliCommand('show'), { operation: 'getAlert', summary: 'show an alert and the state of its rule', record: ALERT }),
    callCommand(creation, {
      operation: 'createAlert',
      summary: 'create an alert',
      takesOperands: true,
      body: (options, fault, [symbol, ...more]) => {
        if (symbol === undefined || more.length > 0) fault('name one symbol; a watchlist takes several');
        if (symbol !== undefined) checkSymbol(symbol, fault);
        const source = readRulesSource(options, fault);
        return async (io) => ({ name: textOption(options, 'name') ?? symbol, symbol, rule: await ruleOf(source, io) });
      },
    }),
    ...mutingCommands('updateAlert', 'an alert', ALERT),
    callCommand(new CliCommand('delete'), { operation: 'deleteAlert', summary: 'delete an alert', record: ALERT }),
    rehearsal,
  ]);
}

const WATCHLIST: RecordKind = { parameter: 'watchlist_id', prefix: 'wl_', listedBy: 'watchlists list' };

function readSymbols(symbols: readonly string[], fault: Fault): readonly string[] {
  if (symbols.length === 0) fault('name at least one symbol');
  for (const symbol of symbols) checkSymbol(symbol, fault);
  return symbols;
}

/** `watchlists list`, `show`, `create`, `mute`, `unmute` and `delete`. */
export function watchlistsCommand(): CliCommand {
  const create = withRuleOptions(new CliCommand('create').argument('[symbols...]', 'symbols to watch, up to 20'))
    .option('--name <name>', 'name of the watchlist')
    .addHelpText('after', '\nExample:\n  $ market-state watchlists create BTCUSD-PERP ETHUSD-PERP --name majors --rules rules.json\n');
  return withParts('watchlists', 'rules over several symbols: list, create, mute, delete', [
    listCommand(new CliCommand('list'), WATCHLISTS),
    callCommand(new CliCommand('show'), { operation: 'getWatchlist', summary: 'show a watchlist', record: WATCHLIST }),
    callCommand(create, {
      operation: 'createWatchlist',
      summary: 'create a watchlist',
      takesOperands: true,
      body: (options, fault, operands) => {
        const [source, symbols] = [readRulesSource(options, fault), readSymbols(operands, fault)];
        const name = textOption(options, 'name') ?? symbols.join(', ');
        return async (io) => ({ name, symbols, rules: await rulesOf(source, io) });
      },
    }),
    ...mutingCommands('updateWatchlist', 'a watchlist', WATCHLIST),
    callCommand(new CliCommand('delete'), { operation: 'deleteWatchlist', summary: 'delete a watchlist', record: WATCHLIST }),
  ]);
}

interface RulesSource {
  /** Absent: in the file. */
  readonly rule?: string;
  readonly rulesFile?: string;
}

function withRuleOptions(command: CliCommand): CliCommand {
  return command.option('--rule <json>', 'rule as in an alert').option('--rules <file>', 'file with one rule or a list of rules');
}

function readRulesSource(options: Options, fault: Fault): RulesSource {
  const [rule, rulesFile] = [textOption(options, 'rule'), textOption(options, 'rules')];
  if ((rule === undefined) === (rulesFile === undefined)) fault('use either --rule or --rules');
  return { rule, rulesFile };
}

/** @throws CliError (bad input) unless it is a rule or a list */
async function rulesOf({ rule, rulesFile }: RulesSource, io: CliIo): Promise<readonly unknown[]> {
  const [name, text] = rulesFile === undefined ? ['--rule', rule ?? ''] : [rulesFile, await readText(rulesFile, io)];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badInput(`${name}: must be JSON such as {"kind":"state_is","params":{"states":["fragile_depth_watch"]}}`);
  }
  return Array.isArray(value) ? value : [value];
}

/** @throws CliError (bad input) unless there is exactly one */
async function ruleOf(source: RulesSource, io: CliIo): Promise<unknown> {
  const rules = await rulesOf(source, io);
  if (rules.length !== 1) throw badInput(`an alert has one rule, not ${rules.length}; a watchlist takes several`);
  return rules[0];
}

/** `mute` and `unmute`: rules are still evaluated while muted. */
function mutingCommands(operation: 'updateAlert' | 'updateWatchlist', noun: string, record: RecordKind): readonly CliCommand[] {
  const muting = (name: string, muted: boolean, summary: string): CliCommand =>
    callCommand(new CliCommand(name), { operation, summary, record, body: () => ({ muted }) });
  return [muting('mute', true, `stop the messages of ${noun}`), muting('unmute', false, `send the messages of ${noun} again`)];
}
