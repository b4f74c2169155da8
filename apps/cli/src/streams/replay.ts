import type { ExitCode } from '../cli-error';
import { dryRun } from '../client/dry-run';
import { runClient } from '../client/run-client';
import type { CliIo } from '../io/cli-io';
import { withLiveOutput } from '../io/line-output';
import { createRowWriter, withRowWriter } from '../output/row-writer';
import { formatOf } from '../output/settings';
import { rowColumns } from './message-rows';
import { playReplay } from './play-replay';
import type { ReplaySettings } from './replay-settings';

/** Replays rows; the receipt of the service closes it: 6 where rows are missing. */
export function replay(settings: ReplaySettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const { symbols, start, end, asOf, channels, speed } = settings;
    const span = {
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
      ...(asOf === undefined ? {} : { as_of: asOf }),
    };
    const asked = {
      ...span,
      ...(symbols.length === 0 ? {} : { symbol: symbols.join(',') }),
      ...(channels === undefined ? {} : { channels: channels.join(',') }),
      speed,
    };
    if (settings.isDryRun) return dryRun(session, { operation: 'streamDataReplay', params: asked }, settings, io);
    const format = formatOf(settings, io.stdout);
    return withLiveOutput(io, async (output) => {
      const columns = settings.fields ?? rowColumns(format, channels);
      const writer = createRowWriter(output, { format, columns, areChosen: settings.fields !== undefined, isLive: speed !== 'max' });
      return withRowWriter(writer, () => playReplay(session, settings, writer, format, io.signal));
    });
  });
}
