import type { Params } from '@market-state/client';
import { CliCommand, type Fault } from '../arguments/cli-command';
import { numberOption, type Options } from '../arguments/values';
import { EXIT, type ExitCode } from '../cli-error';
import { listCommand } from '../client/call-command';
import { runCall } from '../client/run-client';
import { type ClientSettings, readClientSettings, withClientOptions } from '../client/settings';
import type { CliIo } from '../io/cli-io';
import { writeResult } from '../output/settings';
import { SHARES } from '../reads/own-reads';

const EVENT_ID = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;
const SHARE_ID = /^shr_[0-9a-hjkmnp-tv-z]{26}$/;
const DAYS = 30;
const DAYS_MAX = 90;

interface CreateShareSettings extends ClientSettings {
  readonly order: Params<'createShare'>;
}

interface ShareSettings extends ClientSettings {
  readonly shareId: string;
}

function readCreateShare([eventId = '', ...more]: readonly string[], options: Options, fault: Fault): CreateShareSettings {
  if (more.length > 0) fault(`name one event only, not also ${more.join(', ')}`);
  if (!EVENT_ID.test(eventId)) fault('pass an event id: evt_…');
  const days = numberOption(options, 'days', { min: 1, max: DAYS_MAX, integer: true }, fault) ?? DAYS;
  return { ...readClientSettings(options, fault), order: { event_id: eventId, days } };
}

function readShareSettings([shareId = '', ...more]: readonly string[], options: Options, fault: Fault): ShareSettings {
  if (more.length > 0) fault(`name one share only, not also ${more.join(', ')}`);
  if (!SHARE_ID.test(shareId)) fault('pass a share id (shr_…); "market-state shares list" shows the ids');
  return { ...readClientSettings(options, fault), shareId };
}

/** Prints only the link on stdout. */
function createShare({ order, ...settings }: CreateShareSettings, io: CliIo): Promise<ExitCode> {
  return runCall(io, settings, { operation: 'createShare', params: order }, async (session) => {
    const { data } = await session.ms.shares.create(order);
    writeResult(io, settings.format, data, [new URL(data.routes.page, session.access.url).href]);
    session.say(`${data.share_id}: available until ${data.expires_at_utc}; badge ${new URL(data.routes.badge, session.access.url).href}`);
    return EXIT.done;
  });
}

function revokeShare({ shareId, ...settings }: ShareSettings, io: CliIo): Promise<ExitCode> {
  const params = { share_id: shareId };
  return runCall(io, settings, { operation: 'revokeShare', params }, async (session) => {
    const { data } = await session.ms.shares.revoke(params);
    writeResult(io, settings.format, data, []);
    session.say(`${shareId} is ${data.share_state}; the packet proof stays available at the same address.`);
    return EXIT.done;
  });
}

/** `shares create`, `list` and `revoke`. */
export function sharesCommand(): CliCommand {
  const create = withClientOptions(new CliCommand('create'))
    .summary('share a packet by link; the link is printed to stdout')
    .argument('<event>', 'event id: evt_…')
    .option('--days <n>', 'lifetime in days, 1 to 90 (default: 30)')
    .addHelpText('after', '\nExample:\n  $ market-state shares create evt_3wx0yx1xwt9ctp8hfdra0qfz24 --days 7\n')
    .runs<CreateShareSettings>(readCreateShare, createShare);
  const list = listCommand(new CliCommand('list'), SHARES);
  const revoke = withClientOptions(new CliCommand('revoke'))
    .summary('revoke a share immediately; the packet proof stays available')
    .argument('<share>', 'share id: shr_…')
    .runs<ShareSettings>(readShareSettings, revokeShare);
  return new CliCommand('shares').summary('share packets by link').addCommand(create).addCommand(list).addCommand(revoke);
}
