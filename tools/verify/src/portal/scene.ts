import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Closer } from '@market-state/lifecycle';
import {
  launchChromium,
  newVisitor,
  openPage,
  openPortalAccount,
  type PortalAccount,
  type StandInStripe,
  sharePacket,
  startStandInStripe,
  startSystem,
  type System,
} from '@market-state/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';

export interface PortalScene {
  readonly system: System;
  readonly browser: Browser;
  readonly account: PortalAccount;
  readonly stripe: StandInStripe;
  readonly line: Line;
  readonly symbol: string;
  /** A packet with packets before and after it. */
  readonly eventId: string;
  readonly shareId: string;
}

export interface Line {
  readonly url: string;
  cut(): void;
  /** While closed, new connections are refused too. */
  setClosed(isClosed: boolean): void;
}

const PACKETS = 50;
const AT = 20;

export async function openPortalScene(closer: Closer): Promise<PortalScene> {
  const stripe = await startStandInStripe();
  closer.add('Stripe', () => stripe.close());
  const settings = {
    STRIPE_SECRET_KEY: 'sk_test_of_the_stand_in_0123456789abcdef',
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_BASE: stripe.url,
  };
  const system = await startSystem({ settings });
  closer.add('system', () => system.stop());
  const browser = await launchChromium();
  closer.add('browser', () => browser.close());
  const account = await openPortalAccount(system);
  const line = await openLine(closer, Number(new URL(system.url).port));
  const packets = await storedPackets({ system, browser, account }, PACKETS);
  const chosen = packets[AT];
  if (chosen === undefined) throw new Error(`The system has ${packets.length} packets.`);
  const { shareId } = await sharePacket(system.url, await system.demoKey());
  return { system, browser, account, stripe, line, symbol: chosen.symbol, eventId: chosen.event_id, shareId };
}

export interface StoredPacket {
  readonly event_id: string;
  readonly symbol: string;
  readonly window_end_utc: string;
}

/** Stored packets of BTCUSD-PERP, oldest first, since an instant or from the start of the history. */
export async function storedPackets(
  { system, browser, account }: Pick<PortalScene, 'system' | 'browser' | 'account'>,
  limit: number,
  sinceMs?: number,
): Promise<readonly StoredPacket[]> {
  const context = await newVisitor({ browser, url: system.url, screen: 'desktop', scheme: 'dark', account });
  try {
    const answer = await context.request.get(
      `/api/public/market-state/history?symbol=BTCUSD-PERP&limit=${limit}${sinceMs === undefined ? '' : `&from=${sinceMs}`}`,
    );
    const { rows } = (await answer.json()) as { readonly rows: readonly StoredPacket[] };
    return [...rows].sort((a, b) => a.window_end_utc.localeCompare(b.window_end_utc));
  } finally {
    await context.close();
  }
}

export async function visiting(
  scene: PortalScene,
  {
    path,
    url = scene.system.url,
    account = scene.account,
  }: { readonly path: string; readonly url?: string; readonly account?: PortalAccount },
  look: (page: Page, context: BrowserContext) => Promise<void>,
): Promise<void> {
  const context = await newVisitor({ browser: scene.browser, url, screen: 'desktop', scheme: 'dark', account });
  try {
    const { page } = await openPage(context, url, path);
    await look(page, context);
  } finally {
    await context.close();
  }
}

async function openLine(closer: Closer, port: number): Promise<Line> {
  const sockets = new Set<Socket>();
  let isClosed = false;
  const server = createServer((socket) => {
    if (isClosed) return void socket.resetAndDestroy();
    const onward = connect(port, '127.0.0.1');
    for (const [end, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        sockets.delete(end);
        other.destroy();
      });
      end.pipe(other);
    }
    return undefined;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  closer.add('line', async () => {
    server.close();
    cut();
    await once(server, 'close');
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    setClosed(next) {
      isClosed = next;
      if (next) cut();
    },
  };
}
