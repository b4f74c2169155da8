import { createInterface } from 'node:readline/promises';
import { BudgetError, type Params } from '@market-state/client';
import { badInput, EXIT, type ExitCode } from '../cli-error';
import { dryRun } from '../client/dry-run';
import { runClient } from '../client/run-client';
import type { CliIo } from '../io/cli-io';
import { count, counted, instant } from '../io/instant';
import { fetchFiles } from './fetch-files';
import type { OrderSettings } from './settings';
import { showJob } from './show-job';

const PARALLEL = 4;

/** Orders an export: cost, rows and bytes first, then it asks, unless the user has agreed beforehand. */
export function orderExport(settings: OrderSettings, io: CliIo): Promise<ExitCode> {
  return runClient(io, settings, async (session) => {
    const { ms, say } = session;
    const params = settings.order as Params<'createExportJob'>;
    if (settings.isDryRun) return dryRun(session, { operation: 'createExportJob', params: settings.order }, settings, io);
    const quote = await ms.quote('createExportJob', params);
    const { maxExportCredits: credits, estimate } = quote;
    const plan = estimate.export_plan;
    if (plan !== undefined) {
      const { row_total: rows, byte_total: bytes, part_total: parts, request } = plan;
      const span = `${instant(Date.parse(request.from_utc))} to before ${instant(Date.parse(request.to_utc))}`;
      say(`${request.dataset} of ${request.symbols.join(', ')}, ${span}, ${request.format}`);
      say(`at most ${counted(rows, 'row')}, about ${count(bytes)} bytes in ${counted(parts, 'file')}`);
    }
    say(`cost: ${counted(credits, 'export credit')} at most; ${count(estimate.export_credits_after)} left after it`);
    if (credits > settings.maxCredits)
      throw new BudgetError(
        `The export could cost ${count(credits)} export credits, and may cost ${count(settings.maxCredits)}.`,
        credits,
        settings.maxCredits,
      );
    if (!settings.isAgreed && !(await agrees(io))) {
      say('Not ordered.');
      return EXIT.done;
    }
    const { data: job } = await quote.run();
    say(`ordered: ${job.job_id}; ${counted(job.estimated_export_credit_cost, 'export credit')} reserved`);
    if (settings.out === undefined) return showJob(job, settings, io);
    return fetchFiles(session, { ...settings, jobId: job.job_id, out: settings.out, parallel: PARALLEL }, io);
  });
}

/** Asks on a terminal. @throws CliError (bad input) where nobody can answer */
async function agrees(io: CliIo): Promise<boolean> {
  if (io.stdin.isTTY !== true) throw badInput('Nobody can be asked here: --yes orders it.');
  const asking = createInterface({ input: io.stdin, output: io.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question('Order it? [y/N] ', { signal: io.signal })).trim());
  } finally {
    asking.close();
  }
}
