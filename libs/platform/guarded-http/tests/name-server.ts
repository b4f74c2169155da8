import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { promises as dns } from 'node:dns';
import type { AddressResolver } from '../src/index';

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;

export type DnsRecord = readonly [name: string, type: keyof typeof TYPES, value: string];

/** Local name server, and a resolver that uses only it. */
export interface NameServer {
  readonly resolver: AddressResolver;
  /** Queries so far. */
  readonly requested: readonly string[];
  close(): Promise<void>;
}

/** Answers each query with `answer`, including each link of an alias chain, as name servers do. */
export async function startNameServer(answer: (type: 'A' | 'AAAA') => readonly DnsRecord[]): Promise<NameServer> {
  const socket = createSocket('udp4');
  const requested: string[] = [];
  socket.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const end = query.indexOf(0, 12) + 5;
    const type = query.readUInt16BE(end - 4) === TYPES.A ? 'A' : 'AAAA';
    requested.push(type);
    const records = answer(type).map(recordBytes);
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(records.length, 6);
    head.fill(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    resolver,
    requested,
    async close() {
      resolver.cancel();
      socket.close();
      await once(socket, 'close');
    },
  };
}

function recordBytes([name, type, value]: DnsRecord): Buffer {
  const data = type === 'CNAME' ? nameBytes(value) : addressBytes(type, value);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(TYPES[type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(name), fixed, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.of(0)]);
}

/** IPv6 addresses must be written in full. */
function addressBytes(type: 'A' | 'AAAA', value: string): Buffer {
  if (type === 'A') return Buffer.from(value.split('.').map(Number));
  return Buffer.from(
    value
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );
}
