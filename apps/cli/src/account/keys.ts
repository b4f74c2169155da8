import type { Params, Schemas } from '@market-state/client';
import type { Fault } from '../arguments/cli-command';
import { instantOption, numberOption, textOption, type Options } from '../arguments/values';
import { EXIT, type ExitCode } from '../cli-error';
import { dryRun } from '../client/dry-run';
import { runClient, type Session } from '../client/run-client';
import { type ClientSettings, readClientSettings } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { counted } from '../io/instant';
import { scopesOption } from '../operator/scopes';

const KEY_ID = /^key_[0-9a-z]{26}$/;
const DAY_SECONDS = 86_400;
const MONTH_SECONDS = 2_678_400;
const OVERLAP_SECONDS_MAX = 2_592_000;
const CREDITS_MAX = 1_000_000_000;
/** What no plan exceeds; the service tells what that of the tenant allows. */
const CALLS_PER_MINUTE_MAX = 30_000;

/** A key that is to be created. */
export interface CreateKeySettings extends ClientSettings {
  readonly order: Params<'createKey'>;
}

/** A key that is there. */
export interface KeySettings extends ClientSettings {
  readonly keyId: string;
  readonly overlapSeconds: number;
}

export function readCreateKey(operands: readonly string[], options: Options, fault: Fault): CreateKeySettings {
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

export function readKeySettings([keyId = '', ...more]: readonly string[], options: Options, fault: Fault): KeySettings {
  if (more.length > 0) fault(`one key at a time, not also ${more.join(', ')}`);
  if (!KEY_ID.test(keyId)) fault('a key is named by its id, key_…, not by the key itself; "market-state account keys list" lists the ids');
  const overlapSeconds = numberOption(options, 'overlapSeconds', { min: 0, max: OVERLAP_SECONDS_MAX, integer: true }, fault) ?? DAY_SECONDS;
  return { ...readClientSettings(options, fault), keyId, overlapSeconds };
}

/** Creates a key: it is alone on stdout. */
export function createKey(settings: CreateKeySettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const { order } = settings;
    if (settings.isDryRun) return dryRun(session, { operation: 'createKey', params: order }, settings, io);
    return giveKey(session, (await session.ms.keys.create(order)).data, io);
  });
}

/** Creates a key like another one, which then ends: the new one is alone on stdout. */
export function rotateKey({ keyId, overlapSeconds, ...settings }: KeySettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const params = { key_id: keyId, rotate: true, overlap_seconds: overlapSeconds } as const;
    if (settings.isDryRun) return dryRun(session, { operation: 'updateKey', params }, settings, io);
    const { data } = await session.ms.keys.update(params);
    session.say(`${keyId} still works for ${counted(overlapSeconds, 'second')}.`);
    return giveKey(session, data as Schemas['KeyCreated'], io);
  });
}

export function revokeKey({ keyId, ...settings }: KeySettings, io: CliIo): Promise<ExitCode> {
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
