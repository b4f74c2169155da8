import { delay } from '@market-state/lifecycle';
import { ListedInstruments } from '../listed-instruments';
import { connectSockets, type OpenConnection, type SourceOptions } from '../open-connection';
import { urlBelow } from '../rest-text';
import { systemClock, VenueError, type VenueSource, type MissingInstruments } from '../venue-source';
import {
  answerMessage,
  type BinanceMarket,
  bookOf,
  MARKET_ROUTES,
  streamsOf,
  streamName,
  type BinanceContract,
  binanceRest,
} from './routes';

const SUBSCRIBED_WITHIN_MS = 10_000;

interface StreamRequests {
  /**
   * One request per socket, because the venue closes connections that send many; if refused, one per instrument.
   * @throws VenueError `bad_answer` if the only instrument is refused, or without a response
   */
  subscribe(instruments: readonly string[]): Promise<MissingInstruments>;
  repeat(instrument: string): void;
}

function streamRequests(sockets: readonly OpenConnection[], market: BinanceMarket): StreamRequests {
  let lastId = 0;

  function requestsOf(method: 'SUBSCRIBE' | 'UNSUBSCRIBE', instruments: readonly string[]) {
    lastId++;
    return sockets.map((socket, index) => {
      const streams = MARKET_ROUTES[market].sockets[index]?.streams ?? [];
      const params = instruments.flatMap((name) => streams.map((stream) => streamName(name, stream)));
      return { socket, id: lastId, text: JSON.stringify({ method, params, id: lastId }) };
    });
  }

  async function refusalOf(instruments: readonly string[]): Promise<string | undefined> {
    const answers = requestsOf('SUBSCRIBE', instruments).map(async ({ socket, id, text }) => {
      const answered = socket.frame((frame) => isAnswerTo(id, frame), SUBSCRIBED_WITHIN_MS);
      socket.send(text);
      return answered;
    });
    return (await Promise.all(answers)).find((answer) => !/"result":\s*null/.test(answer))?.slice(0, 200);
  }

  return {
    async subscribe(instruments) {
      const refusal = await refusalOf(instruments);
      if (refusal === undefined) return new Map();
      if (instruments.length === 1) throw new VenueError('bad_answer', `venue refused the subscription: ${refusal}`);
      const refused = new Map<string, string>();
      for (const name of instruments) {
        const reason = await refusalOf([name]);
        if (reason !== undefined) refused.set(name, `venue refused ${name}: ${reason}`);
      }
      return refused;
    },
    repeat(instrument) {
      for (const method of ['UNSUBSCRIBE', 'SUBSCRIBE'] as const)
        for (const { socket, text } of requestsOf(method, [instrument])) socket.send(text);
    },
  };
}

function isAnswerTo(id: number, frame: string): boolean {
  return frame.length < 1_000 && !frame.startsWith('{"stream"') && new RegExp(`"id":\\s*${id}\\b`).test(frame);
}

interface BinanceSourceOptions extends SourceOptions {
  readonly market: BinanceMarket;
  readonly contractValues?: Readonly<Record<string, string>>;
}

/** No stream carries open interest; the venue updates it every few seconds. */
const OPEN_INTEREST_EVERY_MS = 10_000;

/**
 * Inserts REST responses in the stream's envelope: `@fundingInfo` or `@lastFunding` every 5 minutes, `@openInterest`
 * every 10 s, `@depthSnapshot` on request. The first message is `@subscribed`.
 */
export function createBinanceSource(options: BinanceSourceOptions): VenueSource {
  const { market, wsUrl, restUrl, logger, contractValues = {}, wait = delay, clock = systemClock, limits } = options;
  const rest = binanceRest(market, restUrl);
  const routes = MARKET_ROUTES[market].sockets;

  function listedInstruments(sockets: readonly [OpenConnection, ...OpenConnection[]], signal: AbortSignal) {
    const requests = streamRequests(sockets, market);
    const deliver = (name: string, stream: string, answer: string): void => sockets[0].deliver(answerMessage(name, stream, answer));
    const polled = new Set<string>();

    async function optional<T>(answer: Promise<T>, instrument?: string): Promise<T | undefined> {
      return answer.catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ err: error, instrument }, 'venue request failed');
        return undefined;
      });
    }

    async function deliverFunding(instruments: readonly string[]): Promise<void> {
      if (instruments.length === 0) return;
      const entries = await optional(rest.changedFunding(signal));
      const deliverOne = async (name: string): Promise<void> => {
        const entry = entries?.get(name);
        const payment = entry === undefined ? await optional(rest.lastFunding(name, signal), name) : undefined;
        if (signal.aborted) return;
        if (entry !== undefined) deliver(name, 'fundingInfo', entry);
        else if (payment !== undefined) deliver(name, 'lastFunding', payment);
      };
      await Promise.all(instruments.map(deliverOne));
    }

    async function pollOpenInterest(instrument: string): Promise<void> {
      while (!signal.aborted) {
        if (!listed.isMissing(instrument)) {
          const answer = await optional(rest.openInterest(instrument, signal), instrument);
          if (answer !== undefined && !signal.aborted) deliver(instrument, 'openInterest', answer);
        }
        await wait(OPEN_INTEREST_EVERY_MS, signal).catch(() => undefined);
      }
    }

    const listed = new ListedInstruments({
      async readMetadata() {
        const contracts = await rest.contracts(signal);
        const reasonOf = (name: string): string | undefined => missingReason(name, contracts.get(name), contractValues[name]);
        await deliverFunding([...polled].filter((name) => reasonOf(name) === undefined));
        return reasonOf;
      },
      async subscribe(instruments) {
        for (const name of instruments) deliver(name, 'subscribed', JSON.stringify({ streams: streamsOf(market) }));
        await deliverFunding(instruments.filter((name) => !polled.has(name)));
        const refused = await requests.subscribe(instruments);
        for (const name of instruments.filter((each) => !polled.has(each))) {
          polled.add(name);
          void pollOpenInterest(name);
        }
        return refused;
      },
      announce: (change) => sockets[0].announce(change),
      logger,
      wait,
      signal,
    });
    return { listed, requests };
  }

  return {
    connect: (signal) =>
      connectSockets(
        routes.map(({ path }) => ({ url: urlBelow(wsUrl, path), clock, bookOf, limits })),
        signal,
        (sockets, ended) => {
          const { listed, requests } = listedInstruments(sockets, ended);
          return {
            listed,
            subscribe: (instruments) => listed.subscribe(instruments),
            repeat: (instrument) => requests.repeat(instrument),
            async requestSnapshot(instrument) {
              const answer = await rest.depth(instrument, ended);
              ended.throwIfAborted();
              sockets[0].deliver(answerMessage(instrument, 'depthSnapshot', answer));
            },
            /** Nothing to backfill: a mark price with funding arrives within a second. */
            catchUp: () => Promise.resolve(),
          };
        },
      ),
  };
}

function missingReason(name: string, contract: BinanceContract | undefined, contractValue: string | undefined): string | undefined {
  if (contract?.isPerpetual !== true) return `the venue lists no perpetual ${name}`;
  const { status, contractSize } = contract;
  if (status !== undefined && status !== 'TRADING') return `the venue does not trade ${name}: its status is ${status}`;
  if (contractSize === undefined || contractValue === undefined || contractSize === Number(contractValue)) return undefined;
  return `a contract of ${name} is ${contractSize} dollars at the venue and ${contractValue} in the instrument table`;
}
