import type { Params, Schemas } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { type ExitCode, EXIT } from '../cli-error';
import { withClientOptions, type ClientSettings, readClientSettings } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { SCOPE_WORDS, scopesOption, instantOption, numberOption, textOption, type Options } from '../arguments/values';
import { KEYS, BALANCE, CAPS, RECEIPTS, USAGE } from '../reads/own-reads';
import { runRead } from '../reads/run-read';
import { readReadSettings, type ReadSettings, withReadOptions, type PathSettings, readPathSettings } from '../reads/settings';
import { dryRun, runClient, type Session } from '../client/run-client';
import { counted } from '../io/instant';
import type { Read } from '../reads/read';

/** Receipts that are shown where no limit is named. */
const LIMIT = '100';

/** `usage`, and under it `receipts`, `balance`, `estimate` and `caps`. */
export function usageCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const ofRead = (command: CliCommand, read: Read, defaults: object = {}): CliCommand =>
    withClientOptions(withReadOptions(command, [read])).runs<ReadSettings>(
      (operands, options, fault) => readReadSettings(read, operands, { ...defaults, ...options }, fault),
      (settings) => runRead(settings, io),
      onExitCode,
    );
  const spend = new CliCommand('spend').summary('credits left, and what each family of calls has cost by day; 31 days without --from');
  const receipts = new CliCommand('receipts').summary(`a receipt for each call, newest first; ${LIMIT} without --limit`);
  const balance = new CliCommand('balance').summary(
    'what was left at the end of each day or hour, and what moved it; 31 days without --from',
  );
  const caps = new CliCommand('caps').summary('the limits on what the tenant may spend');
  const estimate = withClientOptions(new CliCommand('estimate'))
    .summary('what a path would cost at most')
    .argument('<path>', '/api/…?…, answered by a GET')
    .runs<PathSettings & ClientSettings>(
      readPathSettings,
      (settings) => runClient(io, settings, (session) => dryRun(session, settings, settings, io)),
      onExitCode,
    );
  return new CliCommand('usage')
    .summary('credits left, spent, and what calls would cost')
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
/** What no plan exceeds; the service tells what that of the tenant allows. */
const CALLS_PER_MINUTE_MAX = 30_000;

/** A key that is to be created. */
interface CreateKeySettings extends ClientSettings {
  readonly order: Params<'createKey'>;
}

/** A key that is there. */
interface KeySettings extends ClientSettings {
  readonly keyId: string;
  readonly overlapSeconds: number;
}

function readCreateKey(operands: readonly string[], options: Options, fault: Fault): CreateKeySettings {
  if (operands.length > 0) fault(`it takes no arguments: ${operands.join(', ')}`);
  const ceiling = numberOption(options, 'ceiling', { min: 1, max: CREDITS_MAX, integer: true }, fault);
  const seconds = numberOption(options, 'ceilingSeconds', { min: 60, max: MONTH_SECONDS, integer: true }, fault);
  if (ceiling === undefined && seconds !== undefined) fault('--ceiling-seconds goes with --ceiling');
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
  if (more.length > 0) fault(`one key at a time, not also ${more.join(', ')}`);
  if (!KEY_ID.test(keyId)) fault('a key is named by its id, key_…, not by the key itself; "market-state account keys list" lists the ids');
  const overlapSeconds = numberOption(options, 'overlapSeconds', { min: 0, max: OVERLAP_SECONDS_MAX, integer: true }, fault) ?? DAY_SECONDS;
  return { ...readClientSettings(options, fault), keyId, overlapSeconds };
}

/** Creates a key: it is alone on stdout. */
function createKey(settings: CreateKeySettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const { order } = settings;
    if (settings.isDryRun) return dryRun(session, { operation: 'createKey', params: order }, settings, io);
    return giveKey(session, (await session.ms.keys.create(order)).data, io);
  });
}

/** Creates a key like another one, which then ends: the new one is alone on stdout. */
function rotateKey({ keyId, overlapSeconds, ...settings }: KeySettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const params = { key_id: keyId, rotate: true, overlap_seconds: overlapSeconds } as const;
    if (settings.isDryRun) return dryRun(session, { operation: 'updateKey', params }, settings, io);
    const { data } = await session.ms.keys.update(params);
    session.say(`${keyId} still works for ${counted(overlapSeconds, 'second')}.`);
    return giveKey(session, data as Schemas['KeyCreated'], io);
  });
}

function revokeKey({ keyId, ...settings }: KeySettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    if (settings.isDryRun) return dryRun(session, { operation: 'revokeKey', params: { key_id: keyId } }, settings, io);
    await session.ms.keys.revoke({ key_id: keyId });
    session.say(`${keyId} is revoked.`);
    return EXIT.done;
  });
}

function giveKey({ say }: Session, { key, record }: Pick<Schemas['KeyCreated'], 'key' | 'record'>, io: CliIo): ExitCode {
  io.stdout.write(`${key}\n`);
  say(`Key ${record.key_id} (${record.scopes.join(', ')}). It is shown only this once: save it now.`);
  return EXIT.done;
}

/** `account keys list`, `create`, `rotate` and `revoke`: keys of the own tenant. */
export function accountCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const list = withClientOptions(withReadOptions(new CliCommand('list'), [KEYS]))
    .summary('keys of the tenant, newest first; never a whole key')
    .runs<ReadSettings>(
      (operands, options, fault) => readReadSettings(KEYS, operands, options, fault),
      (settings) => runRead(settings, io),
      onExitCode,
    );
  const create = withClientOptions(new CliCommand('create'))
    .summary('a new key; printed alone on stdout, only this once')
    .option('--name <name>', 'what it is for', 'key')
    .option('--scopes <list>', 'what it may be used for, comma separated', SCOPE_WORDS.join(','))
    .option('--expires <time>', 'when it expires: UTC time or epoch milliseconds; without it, never')
    .option('--ceiling <credits>', 'credits that it may spend in each window of time; without it, whatever the tenant has')
    .option('--ceiling-seconds <n>', 'length of that window; 86400 without it')
    .option('--rate <calls>', 'calls that it may make a minute, at most those of the plan; without it, whatever the plan allows')
    .addHelpText('after', '\nExample:\n  $ market-state account keys create --name agent --scopes read --ceiling 500 > agent-key\n')
    .runs<CreateKeySettings>(readCreateKey, (settings) => createKey(settings, io), onExitCode);
  const rotate = withClientOptions(new CliCommand('rotate'))
    .summary('a new key like another one, which then ends; printed alone on stdout')
    .argument('<key>', 'id of the other one: key_…')
    .option('--overlap-seconds <n>', 'how long the other one still works; 86400 without it')
    .runs<KeySettings>(readKeySettings, (settings) => rotateKey(settings, io), onExitCode);
  const revoke = withClientOptions(new CliCommand('revoke'))
    .summary('revoke a key now')
    .argument('<key>', 'its id: key_…')
    .runs<KeySettings>(readKeySettings, (settings) => revokeKey(settings, io), onExitCode);
  const keys = new CliCommand('keys')
    .summary('keys of the own tenant')
    .addCommand(list)
    .addCommand(create)
    .addCommand(rotate)
    .addCommand(revoke);
  return new CliCommand('account').summary('keys of the own tenant').addCommand(keys);
}
