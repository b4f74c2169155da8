import { createKey, type CreateKeySettings, type KeySettings, readCreateKey, readKeySettings, revokeKey, rotateKey } from '../account/keys';
import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import { withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { SCOPE_WORDS } from '../operator/scopes';
import { KEYS } from '../reads/own-reads';
import { runRead } from '../reads/run-read';
import { readReadSettings, type ReadSettings, withReadOptions } from '../reads/settings';

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
