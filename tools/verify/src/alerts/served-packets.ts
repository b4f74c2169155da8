import { labeling } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import { bindService, type BoundService, createHealth, startGrpcServer } from '@market-state/grpc';
import { freePort } from '@market-state/launcher';
import { type Closer, delay } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { testServing } from '@market-state/testing';

const HEARTBEAT_MS = 50;
/** A list in so many begins with a packet that was listed before. */
const AGAIN_EVERY = 10;

const refuse = (): Promise<never> => Promise.reject(failedPrecondition('internal', 'Not offered here.'));

/** Handlers that all refuse, but for those that are given. */
export function only<Definition extends object>(definition: Definition, handlers: object): never {
  return { ...Object.fromEntries(Object.keys(definition).map((name) => [name, refuse])), ...handlers } as never;
}

/** Plays a service until it is closed. @returns its address */
export async function serve(
  name: Parameters<typeof testServing>[0],
  service: BoundService,
  address = '127.0.0.1:0',
): Promise<{ readonly address: string; close(): Promise<void> }> {
  const shared = { health: createHealth(), logger: silentLogger(), shutdownWaitMs: 0 };
  return startGrpcServer({ ...testServing(name), ...shared, address, services: [service] });
}

/** The labeling service as one evaluator sees it. */
export interface ServedPackets {
  readonly address: string;
  /** Ends the service, and starts it again on the same address. */
  restart(): Promise<void>;
}

/** What all evaluators are told. */
export interface PacketSource {
  /** In their order. */
  readonly published: readonly labeling.PacketRecord[];
  /** For packets that are listed again; without it none is. */
  readonly random?: (() => number) | undefined;
  /** Told when packets were asked for. */
  readonly onAsked: () => void;
}

export async function servePackets(closer: Closer, { published, random, onAsked }: PacketSource): Promise<ServedPackets> {
  let opened = new AbortController();
  const bound = () =>
    bindService(
      labeling.LabelingServiceService,
      only(labeling.LabelingServiceService, {
        async listPackets({ symbol, fromWindowEndMs, toWindowEndMs, descending, pageSize }: labeling.ListPacketsRequest) {
          onAsked();
          const ofSymbol = published.filter((packet) => packet.symbol === symbol);
          const found = ofSymbol.filter(
            ({ windowEndMs }) => windowEndMs >= fromWindowEndMs && (toWindowEndMs === 0 || windowEndMs < toWindowEndMs),
          );
          if (descending) found.reverse();
          const isAgain = random !== undefined && random() * AGAIN_EVERY < 1;
          return { packets: [...(isAgain ? ofSymbol.slice(0, 1) : []), ...found].slice(0, pageSize), nextPageToken: '' };
        },
        async *streamPackets(): AsyncGenerator<labeling.StreamPacketsResponse> {
          const { signal } = opened;
          while (!signal.aborted) {
            const symbols = [...new Set(published.map(({ symbol }) => symbol))];
            yield { message: { $case: 'heartbeat', value: { symbols, servedSymbols: [], sentTsMs: 0 } } };
            await delay(HEARTBEAT_MS);
          }
        },
      }),
    );
  const address = `127.0.0.1:${await freePort()}`;
  let server = await serve('labeling', bound(), address);
  const close = async (): Promise<void> => {
    opened.abort();
    await server.close();
  };
  closer.add('labeling', close);
  return {
    address,
    async restart() {
      await close();
      opened = new AbortController();
      server = await serve('labeling', bound(), address);
    },
  };
}
