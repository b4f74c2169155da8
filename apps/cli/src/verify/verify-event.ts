import { gunzipSync } from 'node:zlib';
import { indexFiles, fileSource, type LineFile } from '@market-state/labeler';
import { recordingLineBatches } from '@market-state/market-data';
import { incomplete, type ExitCode, badInput } from '../cli-error';
import { runClient } from '../client/run-client';
import type { CliIo } from '../io/cli-io';
import { count } from '../io/instant';
import { type LineOutput, withOutput } from '../io/line-output';
import type { Progress } from '../io/progress';
import type { Keys, VerifyEach, VerifySettings } from './verify-settings';

/** Lines of text or gzip bytes. @throws CliError (bad input) if the gzip is corrupt */
function memoryFile(name: string, bytes: Uint8Array): LineFile {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = isGzip ? unpacked(name, bytes) : bytes;
  return { name, lines: { [Symbol.asyncIterator]: () => recordingLineBatches(once(text)) } };
}

function unpacked(name: string, bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes);
  } catch (error) {
    throw badInput(`${name}: corrupt gzip: ${(error as Error).message}`);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The bundle has the log entries the packet was made from and the checkpoint before them. */
export function verifyEvent(
  settings: VerifySettings & { readonly event: string },
  io: CliIo,
  given: Keys,
  progress: Progress,
  verifyTo: (output: LineOutput) => VerifyEach,
  exitCode: () => ExitCode,
): Promise<ExitCode> {
  const { event } = settings;
  return runClient(io, settings, async ({ ms, say }) => {
    const { response } = await ms.events.bundle({ event_id: event }, { signal: io.signal });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const index = await indexFiles([memoryFile(`bundle of ${event}`, bytes)], (name, lineTotal) =>
      progress.report(() => `${name}: ${count(lineTotal)} lines`),
    );
    progress.end();
    const symbols = [...index.packets].filter(([, packets]) => packets.some(({ eventId }) => eventId === event)).map(([symbol]) => symbol);
    if (symbols.length === 0) throw incomplete(`The bundle does not contain the packet of ${event}.`);
    const keys = given.size > 0 ? given : index.keys;
    await withOutput(
      io,
      undefined,
      async (output) => {
        for (const symbol of symbols) await verifyTo(output)(fileSource(index, symbol, {}), keys.size === 0 ? null : keys);
      },
      settings.format === 'json',
    );
    say(`${event}: ${count(bytes.length)} bytes downloaded, recomputed locally`);
    return exitCode();
  });
}
