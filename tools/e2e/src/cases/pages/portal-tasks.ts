import { newVisitor, openPage, openPortalAccount, type PortalAccount, type Visiting } from '@market-state/testing';
import type { Locator, Page } from 'playwright-core';
import { openReceiver, type Receiver } from '../../examples/scene';
import type { DefaultSystem } from '../../system/default-system';

const SYMBOL = 'BTCUSD-PERP';

/** Counts what a user does on a page. */
interface Hands {
  readonly page: Page;
  click(name: string | RegExp, within?: Locator): Promise<void>;
  open(link: string | RegExp, within?: Locator): Promise<void>;
  fill(label: string, value: string, within?: Locator): Promise<void>;
  choose(label: string, value: string, within?: Locator): Promise<void>;
  /** Waits until the page shows the result. */
  see(text: string | RegExp, within?: Locator): Promise<void>;
}

interface Counts {
  clicks: number;
  fields: number;
}

function handsOn(page: Page, counts: Counts): Hands {
  const press = async (target: Locator): Promise<void> => {
    await target.first().click();
    counts.clicks += 1;
  };
  return {
    page,
    click: (name, within) => press((within ?? page).getByRole('button', { name, ...exactIfText(name) })),
    open: (name, within) => press((within ?? page).getByRole('link', { name, ...exactIfText(name) })),
    async fill(label, value, within) {
      await (within ?? page).getByLabel(label).fill(value);
      counts.fields += 1;
    },
    async choose(label, value, within) {
      await (within ?? page).getByLabel(label).selectOption(value);
      counts.fields += 1;
    },
    see: (text, within) => (within ?? page).getByText(text).first().waitFor(),
  };
}

const exactIfText = (name: string | RegExp) => (typeof name === 'string' ? { exact: true } : {});

interface Task {
  readonly name: string;
  readonly counts: Counts;
  readonly run: (hands: Hands, receiver: Receiver, account: PortalAccount) => Promise<void>;
}

const DELIVERED = /^Test delivered, 200 after [\d,]+ ms: the endpoint is live\.$/;

/** The fewest clicks and fields that a user needs, from the first page. */
const TASKS: readonly Task[] = [
  {
    name: "A market's last change, and why",
    counts: { clicks: 3, fields: 0 },
    async run({ page, open, click, see }) {
      await open('Live');
      await open(SYMBOL);
      await click(/^Last change/);
      await see('against', page.getByRole('region', { name: 'State change' }));
    },
  },
  {
    name: 'A sandbox key, with its first call',
    counts: { clicks: 2, fields: 0 },
    async run({ click, see }) {
      await click('Create a free sandbox key');
      await click('Newest packet, compact');
      await see(/calls left/);
    },
  },
  {
    name: 'An alert to Slack',
    counts: { clicks: 5, fields: 2 },
    async run({ page, open, click, fill, choose, see }, { url }) {
      await open('Alerts');
      await click('Save as alert');
      await open('Set up a destination');
      const dialog = page.getByRole('dialog');
      await choose('Send to', 'slack', dialog);
      await fill('Webhook URL', `${new URL(url).origin}/services/T1/B1/token`, dialog);
      await click('Add', dialog);
      await click(/^Send test/);
      await see(DELIVERED);
    },
  },
  {
    name: 'A webhook endpoint, tested',
    counts: { clicks: 6, fields: 1 },
    async run({ page, open, click, fill, see }, { url }) {
      await click('Data');
      await open('Webhooks');
      await click('Add endpoint');
      await fill('Address', url, page.getByRole('dialog'));
      await click('Add', page.getByRole('dialog'));
      await click(/^Done/);
      await click(/^Send test/);
      await see(DELIVERED);
    },
  },
  {
    name: 'An export, its first file saved',
    counts: { clicks: 5, fields: 0 },
    async run({ page, open, click, see }) {
      await click('Data');
      await open('Exports');
      await click('Get a quote');
      await click(/^Start export/);
      await see('free to download');
      await Promise.all([page.waitForEvent('download'), click(/^Save /)]);
    },
  },
  {
    name: "This month's usage",
    counts: { clicks: 2, fields: 0 },
    async run({ open, click, see }) {
      await click(/^Account of /);
      await open('Usage');
      await see('This usage on each plan');
    },
  },
  {
    name: 'A packet verified in the browser',
    counts: { clicks: 3, fields: 0 },
    async run({ page, open, click, see }) {
      await open('Live');
      await open(/^(?!BTC).+/, page.getByRole('row', { name: new RegExp(SYMBOL) }));
      await click(/^Recompute, at most/);
      await see(/signatures? (?:is|are) valid for a published key/);
    },
  },
  {
    name: 'A replay of the last minutes',
    counts: { clicks: 2, fields: 0 },
    async run({ page, open, click }) {
      await open('Replay');
      await click(/^Play/);
      await page.getByRole('button', { name: /^Pause/ }).waitFor();
    },
  },
  {
    name: 'A colleague invited',
    counts: { clicks: 3, fields: 1 },
    async run({ page, open, click, fill, see }, _receiver, { email }) {
      await click(/^Account of /);
      await open('Account and team');
      await fill('Invite by email', `colleague-${email}`);
      await click('Send invitation');
      await see(`colleague-${email}`, page.getByRole('table', { name: 'Pending invitations' }));
    },
  },
  {
    name: 'Logged out everywhere',
    counts: { clicks: 3, fields: 0 },
    async run({ page, click }) {
      await click(/^Account of /);
      await click('Sessions and password');
      await click('Log out everywhere');
      await page.waitForURL('**/login');
    },
  },
];

/** Ten tasks of a user who is logged in and on the first page. Prints a table of clicks, fields and seconds. */
export function describeTasks(started: () => DefaultSystem, visitor: () => Pick<Visiting, 'browser'>): void {
  let account: PortalAccount;
  let receiver: Receiver;
  const rows: string[] = [];

  beforeAll(async () => {
    const { system } = started();
    [account, receiver] = await Promise.all([openPortalAccount(system), openReceiver(system.dataDir)]);
  });
  afterAll(async () => {
    process.stdout.write(`${['| task | clicks | fields | seconds |', '|---|---|---|---|', ...rows].join('\n')}\n`);
    await receiver?.close();
  });

  it.each(TASKS)('$name: $counts.clicks clicks and $counts.fields fields', async ({ name, counts: expected, run }) => {
    const { url } = started().system;
    const context = await newVisitor({ ...visitor(), url, screen: 'desktop', scheme: 'light', account });
    try {
      const { page } = await openPage(context, url, '/');
      await page.getByRole('button', { name: /^Account of / }).waitFor();
      const counts: Counts = { clicks: 0, fields: 0 };
      const startMs = performance.now();
      await run(handsOn(page, counts), receiver, account);
      rows.push(`| ${name} | ${counts.clicks} | ${counts.fields} | ${((performance.now() - startMs) / 1_000).toFixed(1)} |`);
      expect(counts).toEqual(expected);
    } finally {
      await context.close();
    }
  });
}
