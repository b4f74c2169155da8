import { CliCommand } from '../arguments/cli-command';
import { instantOption, textOption, SCOPE_WORDS, scopesOption } from '../arguments/values';
import type { ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { readAccountSettings, withAccountOptions } from '../operator/options';
import { runOperator } from '../operator/run-operator';

/** `keys list`, `keys issue` and `keys revoke`. */
export function keysCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const list = withAccountOptions(new CliCommand('list'))
    .summary('keys of a tenant, newest first')
    .argument('<tenant>', 'its id or name')
    .runs(
      ([tenant = ''], options, fault) => ({ ...readAccountSettings(options, fault), tenant }),
      ({ tenant, ...settings }) => runOperator(settings, io, ({ listKeys }, calls) => listKeys(calls, tenant)),
      onExitCode,
    );

  const issue = withAccountOptions(new CliCommand('issue'))
    .summary('a new live key for a tenant; printed alone on stdout, only this once')
    .argument('<tenant>', 'its id or name')
    .option('--name <name>', 'name that the tenant sees', 'key')
    .option('--scopes <list>', 'what it may be used for, comma separated', SCOPE_WORDS.join(','))
    .option('--expires <time>', 'when it expires: UTC time or epoch milliseconds; without it, never')
    .addHelpText('after', '\nExample:\n  $ market-state keys issue demo --name notebook --scopes read,export\n')
    .runs(
      ([tenant = ''], options, fault) => ({
        ...readAccountSettings(options, fault),
        order: {
          tenant,
          name: textOption(options, 'name') ?? '',
          scopes: scopesOption(options, fault),
          expiresMs: instantOption(options, 'expires', fault),
        },
      }),
      ({ order, ...settings }) => runOperator(settings, io, ({ issueKey }, calls) => issueKey(calls, order)),
      onExitCode,
    );

  const revoke = withAccountOptions(new CliCommand('revoke'))
    .summary('revoke a key now')
    .argument('<key>', 'its id: key_…')
    .runs(
      ([keyId = ''], options, fault) => {
        if (!/^key_[0-9a-z]{26}$/.test(keyId))
          fault('a key is named by its id, key_…, not by the key itself; "market-state keys list" lists the ids');
        return { ...readAccountSettings(options, fault), keyId };
      },
      ({ keyId, ...settings }) => runOperator(settings, io, ({ revokeKey }, calls) => revokeKey(calls, keyId)),
      onExitCode,
    );

  return new CliCommand('keys').summary('list, issue and revoke keys').addCommand(list).addCommand(issue).addCommand(revoke);
}
