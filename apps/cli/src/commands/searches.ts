import { CliCommand, type Fault } from '../arguments/cli-command';
import { type Options, textOption } from '../arguments/values';
import { callCommand, listCommand, readRecordId, type RecordKind, withParts } from '../client/call-command';
import { withClientOptions } from '../client/settings';
import type { Row } from '../output/row-writer';
import { SAVED_SEARCHES } from '../reads/own-reads';
import { packetConditions, withPacketConditions } from '../reads/packet-conditions';
import type { Read } from '../reads/read';
import { SEARCH } from '../reads/reads';
import { runRead } from '../reads/run-read';
import { readReadSettings, type ReadSettings, withReadOptions } from '../reads/settings';

/** Default limit: without one, a search could return every stored packet. */
const LIMIT = '100';

/** Conditions of a saved search; limit and `--as-of` are those of a run. */
const STORED: Read = { ...SEARCH, takes: ['from', 'to'], params: {} };
const RESULTS: Read = { ...SEARCH, operation: 'getSavedSearchResults', of: undefined, takes: ['limit', 'asOf'] };

function withSearchOptions(command: CliCommand, read: Read): CliCommand {
  const conditions = ['state', 'eventClass', 'eventProfile', 'severity', 'tag'] as const;
  return withPacketConditions(withReadOptions(command, [read]), conditions).option('--symbol <symbol>', 'only this symbol');
}

function readSearch(read: Read, [words, ...more]: readonly string[], options: Options, fault: Fault): ReadSettings {
  if (more.length > 0) fault('quote several words to pass them as one argument');
  const settings = readReadSettings(read, [textOption(options, 'symbol') ?? 'ALL'], options, fault);
  return { ...settings, params: { ...settings.params, ...(words === undefined ? {} : { q: words }), ...packetConditions(options) } };
}

export function searchCommand(): CliCommand {
  return withClientOptions(withSearchOptions(new CliCommand('search'), SEARCH))
    .summary('search packets by conditions, newest first')
    .description(`Searches all stored packets of every symbol, or of --symbol. Shows the newest ${LIMIT} unless --limit is set.`)
    .argument('[words]', 'words that must all occur in the state, tags or reasons')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  $ market-state search --state fragile_depth_watch --severity critical_context\n' +
        "  $ market-state search 'funding crowded' --symbol BTCUSD-PERP --limit 20\n",
    )
    .runs<ReadSettings>((operands, options, fault) => readSearch(SEARCH, operands, { limit: LIMIT, ...options }, fault), runRead);
}

const SAVED: RecordKind = { parameter: 'saved_search_id', prefix: 'ss_', listedBy: 'searches list' };

function readSaved([name = '', ...words]: readonly string[], options: Options, fault: Fault): Row {
  if (name === '') fault('name the search');
  return { name, query: readSearch(STORED, words, options, fault).params };
}

/** `searches list`, `show`, `save`, `run` and `delete`. */
export function searchesCommand(): CliCommand {
  const save = withSearchOptions(new CliCommand('save'), STORED)
    .argument('[name]', 'name of the search')
    .argument('[words]', 'words that must all occur in the state, tags or reasons')
    .addHelpText('after', "\nExample:\n  $ market-state searches save 'thin books' --state fragile_depth_watch --symbol BTCUSD-PERP\n");
  const run = withClientOptions(withReadOptions(new CliCommand('run'), [RESULTS]))
    .summary('run a saved search, newest packets first')
    .description(`Runs a saved search on all stored packets. Shows the newest ${LIMIT} unless --limit is set.`)
    .argument('<saved_search>', `id: ${SAVED.prefix}…`)
    .runs<ReadSettings>(([id = '', ...more], options, fault) => {
      const record = readRecordId(SAVED, id, fault);
      const settings = readReadSettings(RESULTS, more, { limit: LIMIT, ...options }, fault);
      return { ...settings, params: { ...settings.params, ...record } };
    }, runRead);
  return withParts('searches', 'saved searches: list, save, run, delete', [
    listCommand(new CliCommand('list'), SAVED_SEARCHES),
    callCommand(new CliCommand('show'), { operation: 'getSavedSearch', summary: 'show a saved search', record: SAVED }),
    callCommand(save, {
      operation: 'createSavedSearch',
      summary: 'save a search',
      takesOperands: true,
      body: (options, fault, operands) => readSaved(operands, options, fault),
    }),
    run,
    callCommand(new CliCommand('delete'), { operation: 'deleteSavedSearch', summary: 'delete a saved search', record: SAVED }),
  ]);
}
