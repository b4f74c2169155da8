import { CliCommand } from '../arguments/cli-command';
import { checkSymbol, listOption, numberOption, textOption, utcOption } from '../arguments/values';
import { type BodyOf, callCommand, listCommand, type RecordKind, withParts } from '../client/call-command';
import { present } from '../output/row-writer';
import { DELIVERIES, DESTINATIONS, MESSAGES } from '../reads/own-reads';

const WEBHOOK: RecordKind = { parameter: 'webhook_id', prefix: 'we_', listedBy: 'webhooks list' };
const MESSAGE: RecordKind = { parameter: 'message_id', prefix: 'whk_', listedBy: 'webhooks messages' };
const TASK: RecordKind = { parameter: 'task_id', prefix: 'tsk_', listedBy: 'webhooks recover' };
const USUAL_MESSAGES = 'alert.triggered';
const GRACE_HOURS_MAX = 168;

const creation: BodyOf = (options, fault) => {
  const url = textOption(options, 'address');
  if (url === undefined) fault('option --address <url> is required');
  const symbols = listOption(options, 'symbols');
  for (const symbol of symbols) checkSymbol(symbol, fault);
  const kinds = listOption(options, 'messages');
  return present({
    kind: 'webhook',
    url,
    event_kinds: kinds.length === 0 ? [USUAL_MESSAGES] : kinds,
    symbols: symbols.length === 0 ? undefined : symbols,
    description: textOption(options, 'description'),
  });
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
  const create = new CliCommand('create')
    .option('--address <url>', 'https URL of your endpoint')
    .option('--messages <kinds>', `comma-separated kinds of messages (default: ${USUAL_MESSAGES})`)
    .option('--symbols <symbols>', 'comma-separated symbols (default: all)')
    .option('--description <text>', 'description')
    .addHelpText('after', '\nExample:\n  $ market-state webhooks create --address https://hooks.example.com/ --messages alert.triggered\n');
  const span = (name: string): CliCommand => new CliCommand(name).option('--since <time>', 'creation time of the first message');
  return withParts('webhooks', 'endpoints, messages and deliveries', [
    listCommand(new CliCommand('list'), DESTINATIONS),
    callCommand(new CliCommand('show'), { operation: 'getWebhook', summary: 'show an endpoint and its state', record: WEBHOOK }),
    callCommand(create, { operation: 'createWebhook', summary: 'add an endpoint; its signing secret is shown once', body: creation }),
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
