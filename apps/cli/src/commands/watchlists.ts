import { CliCommand, type Fault } from '../arguments/cli-command';
import { checkSymbol, textOption } from '../arguments/values';
import type { ExitCode } from '../cli-error';
import { callCommand, listCommand, type RecordKind, withParts } from '../client/call-command';
import type { CliIo } from '../io/cli-io';
import { WATCHLISTS } from '../reads/own-reads';
import { mutingCommands, readRulesSource, rulesOf, withRuleOptions } from './alert-rules';

const WATCHLIST: RecordKind = { parameter: 'watchlist_id', prefix: 'wl_', listedBy: 'watchlists list' };

function readSymbols(symbols: readonly string[], fault: Fault): readonly string[] {
  if (symbols.length === 0) fault('name at least one symbol');
  for (const symbol of symbols) checkSymbol(symbol, fault);
  return symbols;
}

/** `watchlists list`, `show`, `create`, `mute`, `unmute` and `delete`. */
export function watchlistsCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const create = withRuleOptions(new CliCommand('create').argument('[symbols...]', 'symbols to watch, up to 20'))
    .option('--name <name>', 'name of the watchlist')
    .addHelpText('after', '\nExample:\n  $ market-state watchlists create BTCUSD-PERP ETHUSD-PERP --name majors --rules rules.json\n');
  return withParts('watchlists', 'rules over several symbols: list, create, mute, delete', [
    listCommand(new CliCommand('list'), WATCHLISTS, io, onExitCode),
    callCommand(new CliCommand('show'), { operation: 'getWatchlist', summary: 'show a watchlist', record: WATCHLIST }, io, onExitCode),
    callCommand(
      create,
      {
        operation: 'createWatchlist',
        summary: 'create a watchlist',
        takesOperands: true,
        body: (options, fault, operands) => {
          const [source, symbols] = [readRulesSource(options, fault), readSymbols(operands, fault)];
          const name = textOption(options, 'name') ?? symbols.join(', ');
          return async () => ({ name, symbols, rules: await rulesOf(source, io.cwd) });
        },
      },
      io,
      onExitCode,
    ),
    ...mutingCommands('updateWatchlist', 'a watchlist', WATCHLIST, io, onExitCode),
    callCommand(
      new CliCommand('delete'),
      { operation: 'deleteWatchlist', summary: 'delete a watchlist', record: WATCHLIST },
      io,
      onExitCode,
    ),
  ]);
}
