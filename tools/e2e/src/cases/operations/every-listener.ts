import { Client, credentials, Metadata, type ServiceError as GrpcError } from '@grpc/grpc-js';
import { CALLERS, SERVICES } from '@market-state/contracts';
import { createClient, healthDefinition } from '@market-state/grpc';
import { services } from '@market-state/launcher';
import type { System } from '@market-state/testing';
import type { DefaultSystem } from '../../system/default-system';

const LISTENERS = SERVICES.filter((name) =>
  Object.values(services).some(({ processes }) => processes[name]?.speaksRpc === true && processes[name].addressVariable !== undefined),
);
const UNAUTHENTICATED = 16;
const UNIMPLEMENTED = 12;

let system: System;
function bareCall(client: Client, path: string): Promise<number> {
  return new Promise((resolve) => {
    const bytes = (value: Buffer): Buffer => value;
    client.makeUnaryRequest(path, bytes, bytes, Buffer.alloc(0), new Metadata(), (error: GrpcError | null) => resolve(error?.code ?? 0));
  });
}

export function describeListeners(started: () => DefaultSystem): void {
  beforeAll(() => {
    ({ system } = started());
  });

  test('every listening process is tested', () => {
    const listening = system.processes.names.filter(
      (name) => system.processes.portsOf(name).grpc !== undefined && (SERVICES as readonly string[]).includes(name),
    );
    expect([...listening].sort()).toEqual([...LISTENERS]);
  });

  test.each(LISTENERS)(
    '%s refuses every method to a caller without proof of identity, and answers a member of its installation',
    async (name) => {
      const address = `127.0.0.1:${system.processes.portsOf(name).grpc}`;
      const client = new Client(address, credentials.createInsecure());
      const statuses = new Map<string, number>();
      for (const path of Object.keys(CALLERS)) statuses.set(path, await bareCall(client, path));
      client.close();
      expect([...statuses.values()].filter((status) => status !== UNAUTHENTICATED && status !== UNIMPLEMENTED)).toEqual([]);
      expect(statuses.get(healthDefinition.check.path)).toBe(UNAUTHENTICATED);
      const operator = createClient({
        definition: healthDefinition,
        address,
        peer: system.rpc.identityOf('operator').to(name),
        deadlineMs: 30_000,
      });
      expect(await operator.call.check({ service: '' })).toEqual({ status: 'SERVING' });
      await operator.close();
    },
  );
}
