import type { Params } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { type ExitCode, EXIT } from '../cli-error';
import { callCommand, listCommand, type RecordKind, withParts } from '../client/call-command';
import { withClientOptions, type ClientSettings, readClientSettings } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { checkSymbol, type Options, spanOption, textOption } from '../arguments/values';
import { dryRun, runClient } from '../client/run-client';
import { count, counted } from '../io/instant';
import { withOutput } from '../io/line-output';
import { type Row, createRowWriter, writeObject } from '../output/row-writer';
import { formatOf } from '../output/settings';
import { ALERTS } from '../reads/own-reads';
import { mutingCommands, readRulesSource, ruleOf, type RulesSource, rulesOf, withRuleOptions } from './alert-rules';

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
  if (symbols.length === 0) fault('name at least one symbol');
  for (const symbol of symbols) checkSymbol(symbol, fault);
  const [source, span] = [readRulesSource(options, fault), spanOption(options, fault)];
  return { ...readClientSettings(options, fault), ...source, ...span, symbols, areNotices: options['notices'] === true };
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

const ALERT: RecordKind = { parameter: 'alert_id', prefix: 'al_', listedBy: 'alerts list' };

/** `alerts list`, `show`, `create`, `mute`, `unmute`, `delete` and `rehearse`. */
export function alertsCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
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
    .runs<RehearsalSettings>(readRehearsalSettings, (settings) => rehearse(settings, io), onExitCode);
  const creation = withRuleOptions(new CliCommand('create').argument('[symbol]', 'symbol to watch'))
    .option('--name <name>', 'name of the alert')
    .addHelpText(
      'after',
      '\nExample:\n' +
        `  $ market-state alerts create BTCUSD-PERP --rule '{"kind":"state_is","params":{"states":["fragile_depth_watch"]}}'\n`,
    );
  return withParts('alerts', 'rules on one symbol: list, create, mute, delete, rehearse', [
    listCommand(new CliCommand('list'), ALERTS, io, onExitCode),
    callCommand(
      new CliCommand('show'),
      { operation: 'getAlert', summary: 'show an alert and the state of its rule', record: ALERT },
      io,
      onExitCode,
    ),
    callCommand(
      creation,
      {
        operation: 'createAlert',
        summary: 'create an alert',
        takesOperands: true,
        body: (options, fault, [symbol, ...more]) => {
          if (symbol === undefined || more.length > 0) fault('name one symbol; a watchlist takes several');
          if (symbol !== undefined) checkSymbol(symbol, fault);
          const source = readRulesSource(options, fault);
          return async () => ({ name: textOption(options, 'name') ?? symbol, symbol, rule: await ruleOf(source, io.cwd) });
        },
      },
      io,
      onExitCode,
    ),
    ...mutingCommands('updateAlert', 'an alert', ALERT, io, onExitCode),
    callCommand(new CliCommand('delete'), { operation: 'deleteAlert', summary: 'delete an alert', record: ALERT }, io, onExitCode),
    rehearsal,
  ]);
}
