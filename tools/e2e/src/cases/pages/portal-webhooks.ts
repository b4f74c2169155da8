import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { axeFaults, keptBy, newVisitor, openPage, type Visiting, waitUntil } from '@market-state/testing';
import type { DefaultSystem } from '../../system/default-system';

/** A received request: the raw body and its signature headers. */
interface Received {
  readonly body: string;
  readonly headers: string;
}

/** Webhooks page with a receiver on this machine: added, tested, delivered, checked; its secret is not stored. */
export function describeWebhooksPage(started: () => DefaultSystem, visitor: () => Pick<Visiting, 'browser' | 'account'>): void {
  let receiver: Server;
  const received: Received[] = [];

  beforeAll(async () => {
    const folder = join(started().system.dataDir, 'demo-tls');
    receiver = createServer(
      { key: readFileSync(join(folder, 'localhost.key')), cert: readFileSync(join(folder, 'localhost.crt')) },
      async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
        const body = Buffer.concat(chunks).toString('utf8');
        // Other messages of its tenant arrive too.
        if (body.startsWith('{"type":"webhook.test"'))
          received.push({ body, headers: signed.map((name) => `${name}: ${String(request.headers[name])}`).join('\n') });
        response.writeHead(204).end();
      },
    ).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
  });
  afterAll(() => receiver?.close());

  it('an endpoint is added and tested, its delivery is shown and its signature checked; its secret is then nowhere in the browser', async () => {
    const { system } = started();
    const context = await newVisitor({ ...visitor(), url: system.url, screen: 'desktop', scheme: 'dark' });
    try {
      const { page, complaints } = await openPage(context, system.url, '/webhooks');
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByLabel('Address').fill(`https://localhost:${(receiver.address() as AddressInfo).port}/`);
      await page.getByLabel('Description').fill('canary');
      const [made] = await Promise.all([
        page.waitForResponse((answer) => answer.request().method() === 'POST'),
        page.getByRole('button', { name: 'Add', exact: true }).click(),
      ]);
      const { secret } = (await made.json()) as { secret: string };
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      expect(await page.content()).toContain(secret);
      await page.getByRole('button', { name: 'Done', exact: true }).click();
      await page.getByRole('row', { name: /canary/ }).waitFor();
      expect(await keptBy(page)).not.toContain(secret);
      expect(await page.evaluate('indexedDB.databases()')).toEqual([]);

      await page.getByRole('button', { name: 'Send test (free)' }).click();
      await page.getByText(/^Test delivered, 204 after [\d,]+ ms: the endpoint is live\.$/).waitFor();
      await page
        .getByRole('region', { name: 'Attempts' })
        .getByRole('row', { name: /webhook\.test.*delivered, 204/ })
        .waitFor();

      const pull = page.getByRole('region', { name: 'Pull list' });
      await pull.getByLabel('Kind').selectOption('webhook.test');
      await page.waitForURL(/[?&]kinds=webhook\.test/);
      await pull.getByRole('button', { name: 'From the oldest' }).click();
      await page.waitForURL(/[?&]pull=oldest/);
      const message = pull.getByRole('row', { name: /webhook\.test.*none/ });
      await message.getByRole('button', { name: /^Show/ }).click();
      await message.getByText('delivered after 1 attempt').waitFor();
      await message.getByRole('button', { name: /^Send again/ }).click();
      await message.getByText(/^queued for https:/).waitFor();
      await waitUntil('the test again', () => (received.length >= 2 ? received[1] : undefined));
      expect(received[1]?.body).toBe(received[0]?.body);
      await pull.getByRole('button', { name: 'Next page' }).click();
      await page.waitForURL(/[?&]pull=WyJ/);
      await pull.getByText('No newer messages yet.').waitFor();
      expect(await axeFaults(page)).toEqual([]);

      const checker = page.getByRole('region', { name: 'Signature checker' });
      await checker.getByLabel('Body').fill(received[0]?.body ?? '');
      await checker.getByLabel('Headers').fill(received[0]?.headers ?? '');
      await checker.getByLabel('Signing secret').fill(secret);
      await checker.getByRole('button', { name: 'Verify' }).click();
      await checker.getByText('Valid signature: a webhook.test message').waitFor();
      await checker.getByRole('button', { name: 'Clear' }).click();
      expect(await keptBy(page)).not.toContain(secret);
      await page.goto('/live');
      await page.goBack();
      await page.getByRole('row', { name: /canary/ }).waitFor();
      expect(await keptBy(page)).not.toContain(secret);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });
  it('a chat is added and tested; its address is then nowhere in the browser', async () => {
    const { system } = started();
    const context = await newVisitor({ ...visitor(), url: system.url, screen: 'desktop', scheme: 'light' });
    try {
      const { page, complaints } = await openPage(context, system.url, '/webhooks');
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByLabel('Send to').selectOption('slack');
      await page
        .getByLabel('Webhook URL')
        .fill(`https://localhost:${(receiver.address() as AddressInfo).port}/services/T1/B1/canary-token`);
      await page.getByLabel('Description').fill('chat');
      expect(await axeFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('row', { name: /Slack: localhost.*chat/ }).waitFor();
      await page.getByRole('button', { name: 'Send test (free)' }).click();
      await page.getByText(/^Test delivered, 204 after [\d,]+ ms: the endpoint is live\.$/).waitFor();
      expect(await page.content()).not.toContain('canary-token');
      expect(await keptBy(page)).not.toContain('canary-token');
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });
}
