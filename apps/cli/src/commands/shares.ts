import { CliCommand } from '../arguments/cli-command';
import type { ExitCode } from '../cli-error';
import { withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { SHARES } from '../reads/own-reads';
import { runRead } from '../reads/run-read';
import { readReadSettings, type ReadSettings, withReadOptions } from '../reads/settings';
import {
  createShare,
  type CreateShareSettings,
  readCreateShare,
  readShareSettings,
  revokeShare,
  type ShareSettings,
} from '../shares/shares';

/** `shares create`, `list` and `revoke`: packets that are shown by a link. */
export function sharesCommand(io: CliIo, onExitCode: (exitCode: ExitCode) => void): CliCommand {
  const create = withClientOptions(new CliCommand('create'))
    .summary('show a packet to whoever has the link; the link is printed alone on stdout')
    .argument('<event>', 'id of its event: evt_…')
    .option('--days <n>', 'for how many days, 1 to 90; 30 without it')
    .addHelpText('after', '\nExample:\n  $ market-state shares create evt_3wx0yx1xwt9ctp8hfdra0qfz24 --days 7\n')
    .runs<CreateShareSettings>(readCreateShare, (settings) => createShare(settings, io), onExitCode);
  const list = withClientOptions(withReadOptions(new CliCommand('list'), [SHARES]))
    .summary('shares of the tenant, newest first')
    .runs<ReadSettings>(
      (operands, options, fault) => readReadSettings(SHARES, operands, options, fault),
      (settings) => runRead(settings, io),
      onExitCode,
    );
  const revoke = withClientOptions(new CliCommand('revoke'))
    .summary('end a share now; what proves its packet stays')
    .argument('<share>', 'its id: shr_…')
    .runs<ShareSettings>(readShareSettings, (settings) => revokeShare(settings, io), onExitCode);
  return new CliCommand('shares').summary('packets that are shown by a link').addCommand(create).addCommand(list).addCommand(revoke);
}
