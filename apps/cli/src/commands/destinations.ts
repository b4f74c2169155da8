import { text } from 'node:stream/consumers';
import type { Params } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { checkSymbol, listOption, numberOption, type Options, textOption, utcOption } from '../arguments/values';
import { badInput, type ExitCode, EXIT } from '../cli-error';
import { type BodyOf, callCommand, listCommand, type RecordKind, withParts } from '../client/call-command';
import { runCall } from '../client/run-client';
import { withClientOptions, type ClientSettings, readClientSettings } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { cannotRead, readText } from '../io/text-file';
import { present } from '../output/row-writer';
import { DELIVERIES, DESTINATIONS, MESSAGES } from '../reads/own-reads';

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
  readonly params: { readonly webhook_id: string };
}

interface ConfirmSettings extends ClientSettings {
  readonly params: Params<'confirmWebhook'>;
}

/** Messages that a destination gets. */
function messagesOf(options: Options, fault: Fault): Pick<Params<'createWebhook'>, 'event_kinds' | 'symbols' | 'description'> {
  const symbols = listOption(options, 'symbols');
  for (const symbol of symbols) checkSymbol(symbol, fault);
  const kinds = listOption(options, 'messages');
  return {
    event_kinds: (kinds.length === 0 ? [USUAL_MESSAGES] : [...kinds]) as Params<'createWebhook'>['event_kinds'],
    ...present({ symbols: symbols.length === 0 ? undefined : symbols, description: textOption(options, 'description') }),
  };
}

function withMessages(command: CliCommand): CliCommand {
  return command
    .option('--messages <kinds>', `comma-separated kinds of messages (default: ${USUAL_MESSAGES})`)
    .option('--symbols <symbols>', 'comma-separated symbols (default: all)');
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
  const digest = numberOption(options, 'digest', { min: 0, max: DIGEST_MINUTES_MAX, integer: true }, fault);
  const { event_kinds, ...filter } = messagesOf(options, fault);
  const order = { event_kinds, ...present({ url, email, chat_id: chatId, digest_minutes: digest }), ...filter };
  return { ...readClientSettings(options, fault), kind: known ?? 'webhook', order, ...(secretFile === undefined ? {} : { secretFile }) };
}

function readDestination([destinationId = '', ...more]: readonly string[], options: Options, fault: Fault): DestinationSettings {
  if (more.length > 0) fault(`name one destination only, not also ${more.join(', ')}`);
  if (!DESTINATION_ID.test(destinationId)) fault('pass a destination id (we_…); "market-state destinations list" shows the ids');
  return { ...readClientSettings(options, fault), params: { webhook_id: destinationId } };
}

function readConfirm([destinationId = '', code = '', ...more]: readonly string[], options: Options, fault: Fault): ConfirmSettings {
  if (!/^[\d ]{8,20}$/.test(code)) fault('pass the eight digits of the mailed code');
  const { params, ...settings } = readDestination([destinationId, ...more], options, fault);
  return { ...settings, params: { ...params, code } };
}

function create({ kind, secretFile, order, ...settings }: CreateSettings, io: CliIo): Promise<ExitCode> {
  const field = SECRET_FIELDS[kind];
  const shown = field === undefined ? {} : { [field]: '<secret>' };
  return runCall(io, settings, { operation: 'createWebhook', params: { kind, ...order, ...shown } }, async (session) => {
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
function test({ params, ...settings }: DestinationSettings, io: CliIo): Promise<ExitCode> {
  return runCall(io, settings, { operation: 'testWebhook', params }, async (session) => {
    const { data } = await session.ms.webhooks.test(params, { signal: io.signal });
    const { attempt, webhook } = data;
    if (attempt === null) session.say('The test was sent but has no result yet.');
    else session.say(`${attempt.outcome} after ${attempt.duration_ms} ms${attempt.reason === null ? '' : `: ${attempt.reason}`}`);
    if (data.succeeded && webhook.kind === 'email' && webhook.confirmed_at_utc === null)
      session.say(`A code was mailed to ${webhook.email}. Next: market-state destinations confirm ${params.webhook_id} <code>`);
    io.stdout.write(`${webhook.status}\n`);
    return data.succeeded ? EXIT.done : EXIT.incomplete;
  });
}

function confirm({ params, ...settings }: ConfirmSettings, io: CliIo): Promise<ExitCode> {
  return runCall(io, settings, { operation: 'confirmWebhook', params }, async (session) => {
    const { data } = await session.ms.webhooks.confirm(params);
    io.stdout.write(`${data.status}\n`);
    return EXIT.done;
  });
}

function remove({ params, ...settings }: DestinationSettings, io: CliIo): Promise<ExitCode> {
  return runCall(io, settings, { operation: 'deleteWebhook', params }, async (session) => {
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
    .option('--chat <id>', 'chat of Telegram: a number or @channel');
  withMessages(creation)
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

const WEBHOOK: RecordKind = { parameter: 'webhook_id', prefix: 'we_', listedBy: 'webhooks list' };
const MESSAGE: RecordKind = { parameter: 'message_id', prefix: 'whk_', listedBy: 'webhooks messages' };
const TASK: RecordKind = { parameter: 'task_id', prefix: 'tsk_', listedBy: 'webhooks recover' };
const GRACE_HOURS_MAX = 168;

const endpointOf: BodyOf = (options, fault) => {
  const url = textOption(options, 'address');
  if (url === undefined) fault('option --address <url> is required');
  return { kind: 'webhook', url, ...messagesOf(options, fault) };
};

const since: BodyOf = (options, fault) => {
  const from = utcOption(options, 'since', fault);
  if (textOption(options, 'since') === undefined) fault('option --since <time> is required');
  return present({ since: from, until: utcOption(options, 'until', fault) });
};

const rotation: BodyOf = (options, fault) =>
  present({ grace_hours: numberOption(options, 'graceHours', { min: 0, max: GRACE_HOURS_MAX, integer: true }, fault) });

const resending: BodyOf = (options, fault) => {
  const to = textOption(options, 'to');
  if (to === undefined) fault('option --to <webhook> is required');
  return present({ webhook_id: to });
};

/** Endpoints, their messages and delivery attempts. */
export function webhooksCommand(): CliCommand {
  const endpoint = withMessages(new CliCommand('create').option('--address <url>', 'https URL of your endpoint'))
    .option('--description <text>', 'description')
    .addHelpText('after', '\nExample:\n  $ market-state webhooks create --address https://hooks.example.com/ --messages alert.triggered\n');
  const span = (name: string): CliCommand => new CliCommand(name).option('--since <time>', 'creation time of the first message');
  return withParts('webhooks', 'endpoints, messages and deliveries', [
    listCommand(new CliCommand('list'), DESTINATIONS),
    callCommand(new CliCommand('show'), { operation: 'getWebhook', summary: 'show an endpoint and its state', record: WEBHOOK }),
    callCommand(endpoint, { operation: 'createWebhook', summary: 'add an endpoint; its signing secret is shown once', body: endpointOf }),
    callCommand(new CliCommand('test'), { operation: 'testWebhook', summary: 'send a test message, free', record: WEBHOOK }),
    callCommand(new CliCommand('enable'), { operation: 'enableWebhook', summary: 'enable a disabled endpoint', record: WEBHOOK }),
    callCommand(new CliCommand('rotate').option('--grace-hours <n>', 'hours the previous secret also signs, up to 168 (default: 24)'), {
      operation: 'rotateWebhookSecret',
      summary: 'replace the signing secret; the new one is shown once',
      record: WEBHOOK,
      body: rotation,
    }),
    callCommand(new CliCommand('delete'), { operation: 'deleteWebhook', summary: 'delete an endpoint', record: WEBHOOK }),
    listCommand(
      new CliCommand('messages').option('--kinds <kinds>', 'comma-separated kinds of messages (default: all)'),
      MESSAGES,
      (options) => present({ kinds: textOption(options, 'kinds') }),
    ),
    callCommand(new CliCommand('message'), { operation: 'getWebhookEvent', summary: 'show a message and its deliveries', record: MESSAGE }),
    callCommand(new CliCommand('resend').option('--to <webhook>', 'endpoint to send it to: we_…'), {
      operation: 'resendWebhookEvent',
      summary: 'send a stored message again',
      record: MESSAGE,
      body: resending,
    }),
    listCommand(
      new CliCommand('deliveries')
        .option('--webhook <webhook>', 'only attempts for this endpoint: we_…')
        .option('--outcome <word>', 'only attempts with this outcome: ok, failed, timeout, status_500, …'),
      DELIVERIES,
      (options) => present({ webhook_id: textOption(options, 'webhook'), outcome: textOption(options, 'outcome') }),
    ),
    callCommand(span('recover').option('--until <time>', 'creation time of the last message, exclusive (default: now)'), {
      operation: 'recoverWebhook',
      summary: 'send failed messages of a span again',
      record: WEBHOOK,
      body: since,
    }),
    callCommand(span('replay'), {
      operation: 'replayMissingWebhook',
      summary: 'send messages that the endpoint never got',
      record: WEBHOOK,
      body: since,
    }),
    callCommand(new CliCommand('task'), { operation: 'getWebhookTask', summary: 'show the progress of recover or replay', record: TASK }),
  ]);
}
