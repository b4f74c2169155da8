import type { Params } from '@market-state/client';
import type { Fault } from '../arguments/cli-command';
import { numberOption, type Options } from '../arguments/values';
import { EXIT, type ExitCode } from '../cli-error';
import { dryRun } from '../client/dry-run';
import { runClient } from '../client/run-client';
import { type ClientSettings, readClientSettings } from '../client/settings';
import type { CliIo } from '../io/cli-io';

const EVENT_ID = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;
const SHARE_ID = /^shr_[0-9a-hjkmnp-tv-z]{26}$/;
const DAYS = 30;
const DAYS_MAX = 90;

/** A packet that is to be shared. */
export interface CreateShareSettings extends ClientSettings {
  readonly order: Params<'createShare'>;
}

/** A share that is there. */
export interface ShareSettings extends ClientSettings {
  readonly shareId: string;
}

export function readCreateShare([eventId = '', ...more]: readonly string[], options: Options, fault: Fault): CreateShareSettings {
  if (more.length > 0) fault(`one event at a time, not also ${more.join(', ')}`);
  if (!EVENT_ID.test(eventId)) fault('an event is named by its id, evt_…');
  const days = numberOption(options, 'days', { min: 1, max: DAYS_MAX, integer: true }, fault) ?? DAYS;
  return { ...readClientSettings(options, fault), order: { event_id: eventId, days } };
}

export function readShareSettings([shareId = '', ...more]: readonly string[], options: Options, fault: Fault): ShareSettings {
  if (more.length > 0) fault(`one share at a time, not also ${more.join(', ')}`);
  if (!SHARE_ID.test(shareId)) fault('a share is named by its id, shr_…; "market-state shares list" lists them');
  return { ...readClientSettings(options, fault), shareId };
}

/** Shares a packet: its link is alone on stdout. */
export function createShare({ order, ...settings }: CreateShareSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    if (settings.isDryRun) return dryRun(session, { operation: 'createShare', params: order }, settings, io);
    const { data } = await session.ms.shares.create(order);
    io.stdout.write(`${new URL(data.routes.page, session.access.url).href}\n`);
    session.say(`${data.share_id}: shown until ${data.expires_at_utc}; badge ${new URL(data.routes.badge, session.access.url).href}`);
    return EXIT.done;
  });
}

export function revokeShare({ shareId, ...settings }: ShareSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    if (settings.isDryRun) return dryRun(session, { operation: 'revokeShare', params: { share_id: shareId } }, settings, io);
    const { data } = await session.ms.shares.revoke({ share_id: shareId });
    session.say(`${shareId} is ${data.share_state}; what proves its packet stays at the same address.`);
    return EXIT.done;
  });
}
