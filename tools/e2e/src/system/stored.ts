import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseService, System } from '@market-state/testing';
import pg from 'pg';

interface ResetMail {
  readonly link: string;
  readonly token: string;
}

type WithDataDir = Pick<System, 'dataDir'>;

/** Text of the newest mail that contains all of these; empty until there is one. */
function newestMail({ dataDir }: WithDataDir, ...contents: readonly string[]): string {
  const outbox = join(dataDir, 'outbox');
  const mails = readdirSync(outbox).map((file) => readFileSync(join(outbox, file), 'utf8'));
  return mails.findLast((text) => contents.every((content) => text.includes(content))) ?? '';
}

/** The newest mail with a reset token to an address; false until there is one. */
export function resetMailTo(system: WithDataDir, email: string): ResetMail | false {
  const mail = newestMail(system, email, 'reset_token=');
  const [link, token] = /https?:\S+#reset_token=([\w-]{43})/.exec(mail) ?? [];
  return link === undefined || token === undefined ? false : { link, token };
}

/** The link of the newest invitation to an address; false until there is one. */
export function invitationTo(system: WithDataDir, email: string): string | false {
  return /https?:\S+#invitation_token=\S+/.exec(newestMail(system, `To: ${email}`, 'invitation_token='))?.[0] ?? false;
}

/** Code in the newest confirmation mail to an address; false until there is one. */
export function mailedCode(system: WithDataDir, email: string): string | false {
  const mail = newestMail(system, `To: ${email}`, 'Confirm this address');
  return /^(\d{8})\r?$/m.exec(mail)?.[1] ?? false;
}

/** Token of the newest mail's unsubscribe link; false until there is one. */
export function unsubscribeToken(system: WithDataDir, email: string): string | false {
  const mail = newestMail(system, `To: ${email}`, 'unsubscribe_token=');
  return /unsubscribe_token=([\w.-]+)/.exec(mail)?.[1] ?? false;
}

/** Runs a statement on a service's database as its owner. */
export async function askDatabase<T extends pg.QueryResultRow>(
  system: System,
  service: DatabaseService,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly T[]> {
  const client = new pg.Client(system.stores.ownerUrl(service));
  await client.connect();
  try {
    return (await client.query<T>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
