import { EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { withOutput } from '../io/line-output';
import { formatOf, type OutputSettings } from '../output/settings';
import { writeObject } from '../output/write-object';

const ENDED_OTHERWISE: ReadonlySet<string> = new Set(['failed', 'cancelled', 'expired']);

/** Shows a job: 3 where it has ended without files. */
export async function showJob(job: { readonly status: string }, settings: OutputSettings, io: CliIo): Promise<ExitCode> {
  await withOutput(io, undefined, (output) => writeObject(output, { ...job }, formatOf(settings, io.stdout), settings.fields));
  return ENDED_OTHERWISE.has(job.status) ? EXIT.incomplete : EXIT.done;
}
