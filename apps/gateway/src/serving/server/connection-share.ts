import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressBlock } from '../limits/address-block';
import { plainAddress, type ProxyCheck } from '../http/client-address';

export interface ConnectionShare {
  /** Connections that one address may have open; IPv6 by /64. */
  readonly perAddressMax: number;
  /** These may have any number: many callers come by them. */
  readonly isProxy: ProxyCheck;
  /** Is called for each connection that is refused. */
  readonly onRefused: (reason: 'address' | 'total') => void;
}

/** Destroys each new connection of an address that has as many as it may; those beyond `maxConnections` Node destroys. */
export function shareConnections(server: Server, { perAddressMax, isProxy, onRefused }: ConnectionShare): void {
  const open = new Map<string, number>();

  function leave(block: string): void {
    const left = (open.get(block) ?? 1) - 1;
    if (left === 0) open.delete(block);
    else open.set(block, left);
  }

  server.prependListener('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (isProxy(address)) return;
    const block = addressBlock(address);
    const total = (open.get(block) ?? 0) + 1;
    if (total > perAddressMax) {
      socket.destroy();
      onRefused('address');
      return;
    }
    open.set(block, total);
    socket.once('close', () => leave(block));
  });
  server.on('drop', () => onRefused('total'));
}
