import type { Params, Schemas } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { instantOption, numberOption, type Options, SCOPE_WORDS, scopesOption, textOption } from '../arguments/values';
import { EXIT, type ExitCode } from '../cli-error';
import { listCommand } from '../client/call-command';
import { dryRun, runCall, runClient, type Session } from '../client/run-client';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { counted } from '../io/instant';
import { writeResult } from '../output/settings';
import { BALANCE, CAPS, KEYS, RECEIPTS, USAGE } from '../reads/own-reads';
import type { Read } from '../reads/read';
import { runRead } from '../reads/run-read';
import { type PathSettings, readPathSettings, readReadSettings, type ReadSettings, withReadOptions } from '../reads/settings';

/** Receipts shown without `--limit`. */
const LIMIT = '100';

/** `usage` and its subcommands `receipts`, `balance`, `estimate` and `caps`. */
export function usageCommand(): CliCommand {
  const ofRead = (command: CliCommand, read: Read, defaults: object = {}): CliCommand =>
    withClientOptions(withReadOptions(command, [read])).runs<ReadSettings>(
      (operands, options, fault) => readReadSettings(read, operands, { ...defaults, ...options }, fault),
      runRead,
    );
  const spend = new CliCommand('spend').summary('show credits left and daily cost by type of call (default: last 31 days)');
  const receipts = new CliCommand('receipts').summary(`list receipts, one per call, newest first (default limit: ${LIMIT})`);
  const balance = new CliCommand('balance').summary(
    'show the balance at the end of each day or hour, and what changed it (default: last 31 days)',
  );
  const caps = new CliCommand('caps').summary('show the spend limits of your organisation');
  const estimate = withClientOptions(new CliCommand('estimate'))
    .summary('estimate the maximum cost of a path')
    .argument('<path>', 'GET path such as /api/…?…')
    .runs<PathSettings & ClientSettings>(readPathSettings, (settings, io) =>
      runClient(io, settings, (session) => dryRun(session, settings, settings, io)),
    );
  return new CliCommand('usage')
    .summary('show credits left, credits spent and cost estimates')
    .addCommand(ofRead(spend, USAGE), { isDefault: true })
    .addCommand(ofRead(receipts, RECEIPTS, { limit: LIMIT }))
    .addCommand(ofRead(balance, BALANCE))
    .addCommand(estimate)
    .addCommand(ofRead(caps, CAPS));
}

const KEY_ID = /^key_[0-9a-z]{26}$/;
const DAY_SECONDS = 86_400;
const MONTH_SECONDS = 2_678_400;
const OVERLAP_SECONDS_MAX = 2_592_000;
const CREDITS_MAX = 1_000_000_000;
/** No plan exceeds this; the service checks against the tenant's own plan. */
const CALLS_PER_MINUTE_MAX = 30_000;

interface CreateKeySettings extends ClientSettings {
  readonly order: Params<'createKey'>;
}

interface KeySettings extends ClientSettings {
  readonly keyId: string;
  readonly overlapSeconds: number;
}

function readCreateKey(operands: readonly string[], options: Options, fault: Fault): CreateKeySettings {
  if (operands.length > 0) fault(`takes no arguments: ${operands.join(', ')}`);
  const ceiling = numberOption(options, 'ceiling', { min: 1, max: CREDITS_MAX, integer: true }, fault);
  const seconds = numberOption(options, 'ceilingSeconds', { min: 60, max: MONTH_SECONDS, integer: true }, fault);
  if (ceiling === undefined && seconds !== undefined) fault('--ceiling-seconds requires --ceiling');
  const rate = numberOption(options, 'rate', { min: 1, max: CALLS_PER_MINUTE_MAX, integer: true }, fault);
  const expiresMs = instantOption(options, 'expires', fault);
  return {
    ...readClientSettings(options, fault),
    order: {
      name: textOption(options, 'name') ?? '',
      kind: 'live',
      scopes: [...scopesOption(options, fault)],
      expires_at: expiresMs === undefined || Number.isNaN(expiresMs) ? '' : new Date(expiresMs).toISOString(),
      credit_ceiling: ceiling === undefined ? null : { credits: ceiling, window_seconds: seconds ?? DAY_SECONDS },
      rate_limit: rate === undefined ? null : { calls_per_minute: rate },
    },
  };
}

function readKeySettings([keyId = '', ...more]: readonly string[], options: Options, fault: Fault): KeySettings {
  if (more.length > 0) fault(`name one key only, not also ${more.join(', ')}`);
  if (!KEY_ID.test(keyId)) fault('pass a key id (key_…), not the key itself; "market-state account keys list" shows the ids');
  const overlapSeconds = numberOption(options, 'overlapSeconds', { min: 0, max: OVERLAP_SECONDS_MAX, integer: true }, fault) ?? DAY_SECONDS;
  return { ...readClientSettings(options, fault), keyId, overlapSeconds };
}

/** Prints only the key on stdout. */
function createKey(settings: CreateKeySettings, io: CliIo): Promise<ExitCode> {
  const { order } = settings;
  return runCall(io, settings, { operation: 'createKey', params: order }, async (session) =>
    giveKey(session, (await session.ms.keys.create(order)).data, settings, io),
  );
}

/** Replaces a key; prints only the new one on stdout. */
function rotateKey({ keyId, overlapSeconds, ...settings }: KeySettings, io: CliIo): Promise<ExitCode> {
  const params = { key_id: keyId, rotate: true, overlap_seconds: overlapSeconds } as const;
  return runCall(io, settings, { operation: 'updateKey', params }, async (session) => {
    const { data } = await session.ms.keys.update(params);
    session.say(`${keyId} keeps working for ${counted(overlapSeconds, 'second')}.`);
    return giveKey(session, data as Schemas['KeyCreated'], settings, io);
  });
}

function revokeKey({ keyId, ...settings }: KeySettings, io: CliIo): Promise<ExitCode> {
  const params = { key_id: keyId };
  return runCall(io, settings, { operation: 'revokeKey', params }, async (session) => {
    const { data } = await session.ms.keys.revoke(params);
    writeResult(io, settings.format, data, []);
    session.say(`${keyId} has been revoked.`);
    return EXIT.done;
  });
}

function giveKey(
  { say }: Session,
  { key, record }: Pick<Schemas['KeyCreated'], 'key' | 'record'>,
  { format }: ClientSettings,
  io: CliIo,
): ExitCode {
  writeResult(io, format, { key, record }, [key]);
  say(`Created ${record.key_id} (${record.scopes.join(', ')}). The key is shown only once; save it now.`);
  return EXIT.done;
}

/** `account keys list`, `create`, `rotate` and `revoke`. */
export function accountCommand(): CliCommand {
  const create = withClientOptions(new CliCommand('create'))
    .summary('create a key and print it to stdout; it is shown only once')
    .option('--name <name>', 'display name of the key', 'key')
    .option('--scopes <list>', 'comma-separated scopes of the key', SCOPE_WORDS.join(','))
    .option('--expires <time>', 'expiry as UTC time, epoch milliseconds or relative, such as +30d (default: never)')
    .option('--ceiling <credits>', 'most credits the key may spend per period (default: no limit)')
    .option('--ceiling-seconds <n>', 'length of that period in seconds (default: 86400)')
    .option('--rate <calls>', 'most calls per minute, up to your plan (default: the plan limit)')
    .addHelpText('after', '\nExample:\n  $ market-state account keys create --name agent --scopes read --ceiling 500 > agent-key\n')
    .runs<CreateKeySettings>(readCreateKey, createKey);
  const rotate = withClientOptions(new CliCommand('rotate'))
    .summary('replace a key with a new one and print it to stdout')
    .argument('<key>', 'id of the key to replace: key_…')
    .option('--overlap-seconds <n>', 'seconds the old key keeps working (default: 86400)')
    .runs<KeySettings>(readKeySettings, rotateKey);
  const revoke = withClientOptions(new CliCommand('revoke'))
    .summary('revoke a key immediately')
    .argument('<key>', 'key id: key_…')
    .runs<KeySettings>(readKeySettings, revokeKey);
  const keys = new CliCommand('keys')
    .summary('manage your API keys')
    .addCommand(listCommand(new CliCommand('list'), KEYS))
    .addCommand(create)
    .addCommand(rotate)
    .addCommand(revoke);
  return new CliCommand('account').summary('manage your account').addCommand(keys);
}
