import { CliCommand } from '../arguments/cli-command';
import { EXIT, type ExitCode } from '../cli-error';
import { runClient } from '../client/run-client';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { withOutput } from '../io/line-output';
import { formatOf } from '../output/settings';
import { writeObject } from '../output/write-object';

const SOURCES = {
  environment: 'MARKET_STATE_API_KEY',
  profile: 'the profile',
  demo: 'the demo key of the system on this machine',
  none: 'no key',
};

/** `whoami`: which service, and whose key. */
export function whoamiCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  return withClientOptions(new CliCommand('whoami'))
    .summary('the service, tenant, plan and credits of the key')
    .description('Which service later commands ask, where their key comes from, and whose it is. Costs nothing.')
    .runs<ClientSettings>(
      (_operands, options, fault) => readClientSettings(options, fault),
      (settings) => whoami(settings, io),
      onExitCode,
    );
}

function whoami(settings: ClientSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async ({ ms, access }) => {
    const { data } = await ms.account.me({ signal: io.signal });
    const { tenant, plan, scopes, key_id: keyId, balances } = data;
    const left = (kind: string): number | null => balances.find(({ credit_kind: each }) => each === kind)?.available ?? null;
    const said = {
      service: access.url,
      key_from: access.keySource === 'profile' ? io.profileFile : SOURCES[access.keySource],
      key_id: keyId,
      tenant: tenant.name,
      tenant_id: tenant.tenant_id,
      plan: plan?.plan_id ?? null,
      scopes,
      market_state_credits: left('market_state'),
      export_credits: left('export'),
    };
    await withOutput(io, undefined, (output) => writeObject(output, said, formatOf(settings, io.stdout), settings.fields));
    return EXIT.done;
  });
}
