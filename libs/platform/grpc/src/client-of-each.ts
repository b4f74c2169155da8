import type { Closable } from '@market-state/lifecycle';
import type { ClientCalls, GrpcClient } from './client';
import { eachProcess, type ProcessPlaces } from './each-process';
import type { ServiceMethods } from './method-types';

/** A client of each process of a service, for facts that every process answers for itself. */
export interface ClientOfEach<D extends ServiceMethods> extends Closable {
  /** The calls of every process; resolves when every name has been looked up once. */
  all(): Promise<readonly ClientCalls<D>[]>;
}

export interface ClientOfEachOptions<D extends ServiceMethods> extends ProcessPlaces {
  readonly open: (address: string) => GrpcClient<D>;
}

/** Opens a client of each process until closed, as processes come and go. */
export function clientOfEach<D extends ServiceMethods>({ open, ...places }: ClientOfEachOptions<D>): ClientOfEach<D> {
  const processes = eachProcess({
    ...places,
    begin(from) {
      const client = open(from);
      // Nothing stays open at one that has left its name.
      return { call: client.call, isUp: () => false, close: () => client.close() };
    },
  });
  return {
    async all() {
      await processes.looked;
      return processes.all().map(({ call }) => call);
    },
    close: () => processes.close(),
  };
}
