import { text } from 'node:stream/consumers';
import type { Params } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { checkSymbol, listOption, numberOption, type Options, textOption } from '../arguments/values';
import { badInput, type ExitCode, EXIT } from '../cli-error';
import { listCommand, withParts } from '../client/call-command';
import { dryRun, runClient } from '../client/run-client';
import { withClientOptions, type ClientSettings, readClientSettings } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { cannotRead, readText } from '../io/text-file';
import { present } from '../output/row-writer';
import { DESTINATIONS } from '../reads/own-reads';

const KINDS = ['webhook', 'slack', 'discord', 'telegram', 'pagerduty', 'email'] as const;
type Kind = (typeof KINDS)[number];

/** Field of the request that holds a kind's credential; those of webhooks and emails are no secrets. */
const SECRET_FIELDS: Readonly<Partial<Record<Kind, 'url' | 'bot_token' | 'routing_key'>>> = {
  slack: 'url',
  discord: 'url',
  telegram: 'bot_token',
  pagerduty: 'routing_key',
};
const DESTINATION_ID = /^we_[0-9a-hjkmnp-tv-z]{26}$/;
const USUAL_MESSAGES = 'alert.triggered';
const DIGEST_MINUTES_MAX = 1_440;

interface CreateSettings extends ClientSettings {
  readonly kind: Kind;
  /** `-` for stdin. */
  readonly secretFile?: string;
  readonly order: Omit<Params<'createWebhook'>, 'kind'>;
}

interface DestinationSettings extends ClientSettings {
  readonly destinationId: string;
}

interface ConfirmSettings extends DestinationSettings {
  readonly code: string;
}

function readCreate([kind = '', ...more]: readonly string[], options: Options, fault: Fault): CreateSettings {
  if (more.length > 0) fault(`name one kind only, not also ${more.join(', ')}`);
  const known = KINDS.find((one) => one === kind);
  if (known === undefined) fault(`the kind must be one of ${KINDS.join(', ')}`);
  const [url, email, chatId] = [textOption(options, 'address'), textOption(options, 'email'), textOption(options, 'chat')];
  const secretFile = textOption(options, 'secretFile');
  if (known === 'webhook' && url === undefined) fault('a webhook needs --address');
  if (known === 'email' && email === undefined) fault('an email needs --email');
  if (known === 'telegram' && chatId === undefined) fault('telegram needs --chat');
  if (known !== undefined && known in SECRET_FIELDS && secretFile === undefined)
    fault(`${known} needs --secret-file with its ${SECRET_FIELDS[known]}: a file, or - for stdin`);
  const symbols = listOption(options, 'symbols');
  for (const symbol of symbols) checkSymbol(symbol, fault);
  const digest = numberOption(options, 'digest', { min: 0, max: DIGEST_MINUTES_MAX, integer: true }, fault);
  const kinds = listOption(options, 'messages');
  const order = {
    event_kinds: (kinds.length === 0 ? [USUAL_MESSAGES] : [...kinds]) as Params<'createWebhook'>['event_kinds'],
    ...present({
      url,
      email,
      chat_id: chatId,
      digest_minutes: digest,
      symbols: symbols.length === 0 ? undefined : symbols,
      description: textOption(options, 'description'),
    }),
  };
  return { ...readClientSettings(options, fault), kind: known ?? 'webhook', order, ...(secretFile === undefined ? {} : { secretFile }) };
}

function readDestination([destinationId = '', ...more]: readonly string[], options: Options, fault: Fault): DestinationSettings {
  if (more.length > 0) fault(`name one destination only, not also ${more.join(', ')}`);
  if (!DESTINATION_ID.test(destinationId)) fault('pass a destination id (we_…); "market-state destinations list" shows the ids');
  return { ...readClientSettings(options, fault), destinationId };
}

function readConfirm([destinationId = '', code = '', ...more]: readonly string[], options: Options, fault: Fault): ConfirmSettings {
  if (!/^[\d ]{8,20}$/.test(code)) fault('pass the eight digits of the mailed code');
  return { ...readDestination([destinationId, ...more], options, fault), code };
}

function create({ kind, secretFile, order, ...settings }: CreateSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const field = SECRET_FIELDS[kind];
    if (settings.isDryRun) {
      const shown = field === undefined ? {} : { [field]: '<secret>' };
      return dryRun(session, { operation: 'createWebhook', params: { kind, ...order, ...shown } }, settings, io);
    }
    const secret = field === undefined || secretFile === undefined ? {} : { [field]: await secretOf(secretFile, io) };
    const { data } = await session.ms.webhooks.create({ kind, ...order, ...secret });
    io.stdout.write(`${data.webhook_id}\n${data.secret === null ? '' : `${data.secret}\n`}`);
    if (data.secret !== null) session.say('The second line is the signing secret. Store it now: it is not shown again.');
    session.say(`Next: market-state destinations test ${data.webhook_id}`);
    return EXIT.done;
  });
}

/** From a file or stdin, so that neither the process list nor the shell's history has it. */
async function secretOf(name: string, io: CliIo): Promise<string> {
  const secret = (await (name === '-' ? text(io.stdin).catch(cannotRead(name)) : readText(name, io))).trim();
  if (secret === '' || /\s/.test(secret)) throw badInput(`${name}: must contain one line with the credential`);
  return secret;
}

/** Exits with 3 if the destination did not accept the test. */
function test({ destinationId, ...settings }: DestinationSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const params = { webhook_id: destinationId };
    if (settings.isDryRun) return dryRun(session, { operation: 'testWebhook', params }, settings, io);
    const { data } = await session.ms.webhooks.test(params, { signal: io.signal });
    const { attempt, webhook } = data;
    if (attempt === null) session.say('The test was sent but has no result yet.');
    else session.say(`${attempt.outcome} after ${attempt.duration_ms} ms${attempt.reason === null ? '' : `: ${attempt.reason}`}`);
    if (data.succeeded && webhook.kind === 'email' && webhook.confirmed_at_utc === null)
      session.say(`A code was mailed to ${webhook.email}. Next: market-state destinations confirm ${destinationId} <code>`);
    io.stdout.write(`${webhook.status}\n`);
    return data.succeeded ? EXIT.done : EXIT.incomplete;
  });
}

function confirm({ destinationId, code, ...settings }: ConfirmSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const params = { webhook_id: destinationId, code };
    if (settings.isDryRun) return dryRun(session, { operation: 'confirmWebhook', params }, settings, io);
    const { data } = await session.ms.webhooks.confirm(params);
    io.stdout.write(`${data.status}\n`);
    return EXIT.done;
  });
}

function remove({ destinationId, ...settings }: DestinationSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const params = { webhook_id: destinationId };
    if (settings.isDryRun) return dryRun(session, { operation: 'deleteWebhook', params }, settings, io);
    const { data } = await session.ms.webhooks.delete(params);
    session.say(`${data.webhook_id} (${data.kind}) is deleted; messages that waited for it are dropped.`);
    return EXIT.done;
  });
}

/** `destinations create`, `list`, `test`, `confirm` and `delete`. */
export function destinationsCommand(): CliCommand {
  const creation = withClientOptions(new CliCommand('create'))
    .summary('add a destination; its id is printed to stdout')
    .argument('<kind>', KINDS.join(', '))
    .option('--secret-file <file>', 'file with the credential, or - for stdin: URL of Slack or Discord, bot token, routing key')
    .option('--address <url>', 'https URL of a webhook')
    .option('--email <address>', 'address of an email')
    .option('--chat <id>', 'chat of Telegram: a number or @channel')
    .option('--messages <kinds>', `comma-separated kinds of messages (default: ${USUAL_MESSAGES})`)
    .option('--symbols <symbols>', 'comma-separated symbols (default: all)')
    .option('--digest <minutes>', 'collect messages for this long and send them as one, up to 1440 (default: 0, send each)')
    .option('--description <text>', 'description')
    .addHelpText('after', '\nExample:\n  $ market-state destinations create slack --secret-file slack-url.txt --digest 15\n')
    .runs<CreateSettings>(readCreate, create);
  const trial = withClientOptions(new CliCommand('test'))
    .summary('send a test, free; prints the status of the destination')
    .argument('<destination>', 'destination id: we_…')
    .runs<DestinationSettings>(readDestination, test);
  const confirmation = withClientOptions(new CliCommand('confirm'))
    .summary('confirm an email by the code that a test mailed')
    .argument('<destination>', 'destination id: we_…')
    .argument('<code>', 'eight digits')
    .runs<ConfirmSettings>(readConfirm, confirm);
  const removal = withClientOptions(new CliCommand('delete'))
    .summary('delete a destination; messages that wait for it are dropped')
    .argument('<destination>', 'destination id: we_…')
    .runs<DestinationSettings>(readDestination, remove);
  const list = listCommand(new CliCommand('list'), DESTINATIONS);
  const summary = 'where messages go: webhooks, chats, PagerDuty, email';
  return withParts('destinations', summary, [creation, list, trial, confirmation, removal]);
}
