import { ForbiddenError, MarketState } from '@market-state/client';
import { EXIT, type ExitCode } from '../cli-error';
import { asCliError } from '../client/errors';
import type { CliIo } from '../io/cli-io';
import { openAccess, type AccessOrder } from './access';
import { writeProfile } from './profile';
import { readSecret } from './read-secret';

/** Keeps a service and the key that the user gives, once a call with it was answered. */
export async function logIn(order: AccessOrder, io: CliIo): Promise<ExitCode> {
  const { url } = await openAccess(io, order);
  const apiKey = await readSecret(io, `API key for ${url}: `);
  try {
    const whose = await whoseKey(new MarketState({ baseUrl: url, apiKey }), io.signal);
    await writeProfile(io.profileFile, { url, apiKey });
    io.stderr.write(`${whose} at ${url}. Kept in ${io.profileFile}.\n`);
  } catch (error) {
    throw asCliError(error, url);
  }
  if (io.apiKey !== undefined) io.stderr.write('MARKET_STATE_API_KEY is set: its key is used in place of the profile.\n');
  return EXIT.done;
}

/** Whom the key is of. One without the scope `account` is not told, but shown to work by a free read. */
async function whoseKey(ms: MarketState, signal: AbortSignal): Promise<string> {
  try {
    const { data } = await ms.account.me({ signal });
    return `The key is of ${data.tenant.name}, plan ${data.plan?.plan_id ?? 'none'},`;
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    await ms.catalog.get({}, { signal });
    return 'The key works, without the scope account,';
  }
}
