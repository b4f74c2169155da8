import { type BootedGateway, bootGateway } from './stand-in/boot';
import { type OpenedStream, openStream } from './stand-in/event-stream';
import { logRow } from './stand-in/row-log';

const TENANT = 'ten_1';

describe('a stream that must end', () => {
  let booted: BootedGateway;
  let offsetMs = 0;
  let ordinal = 0;
  beforeEach(async () => {
    offsetMs = 0;
    ordinal = 0;
    booted = await bootGateway({ monotonicMs: () => performance.now() + offsetMs });
    append();
  });
  afterEach(() => booted.close());

  function append(): void {
    for (let row = 0; row < 10; row += 1) booted.dataPlane.rows.append({ row: logRow('BTCUSD-PERP', (ordinal += 1), 'trades') });
  }

  async function open(): Promise<OpenedStream> {
    const stream = await openStream(`${booted.gateway.url}/api/public/data/stream?symbol=BTCUSD-PERP`, {
      'x-market-state-api-key': booted.key,
    });
    expect(stream.status).toBe(200);
    await stream.until((messages) => messages.length > 0);
    return stream;
  }

  const endOf = ({ messages }: OpenedStream): unknown => {
    const end = messages.find(({ event }) => event === 'end');
    return end === undefined ? undefined : JSON.parse(end.data);
  };

  it('says that credits cannot be counted when account is away, sends nothing unpaid, and goes on where it stood', async () => {
    booted.account.credits.grant(TENANT, 10_000);
    const stream = await open();
    booted.account.credits.setDown(true);
    const sent = (): number => stream.messages.filter(({ event }) => event === 'row').length;
    while (endOf(stream) === undefined) {
      const before = sent();
      append();
      await stream.until(() => sent() > before || endOf(stream) !== undefined);
    }
    expect(endOf(stream)).toEqual({ code: 'metering_unavailable', resume_id: stream.messages.at(-1)?.lastEventId });
    booted.account.credits.setDown(false);
    await booted.until(() => booted.account.credits.spent(TENANT) === Math.ceil(sent() / 100));
    const resumed = await openStream(`${booted.gateway.url}/api/public/data/stream?symbol=BTCUSD-PERP`, {
      'x-market-state-api-key': booted.key,
      'last-event-id': stream.messages.at(-1)?.lastEventId ?? '',
    });
    await resumed.until((messages) => messages.filter(({ event }) => event === 'row').length === ordinal - sent() - 10);
    resumed.cut();
  });

  it('goes on, and loses nothing, when account is away for a moment while credits are asked for', async () => {
    booted.account.credits.grant(TENANT, 10_000);
    const stream = await open();
    booted.account.credits.setDown(true);
    const sent = (): number => stream.messages.filter(({ event }) => event === 'row').length;
    for (let before = -1; sent() > before; ) {
      before = sent();
      append();
      const waitedSince = performance.now();
      await booted.until(() => sent() > before || performance.now() - waitedSince > 200);
    }
    expect(endOf(stream)).toBeUndefined();
    booted.account.credits.setDown(false);
    append();
    await booted.until(() => endOf(stream) !== undefined || sent() >= ordinal - 10);
    expect([endOf(stream), sent()]).toEqual([undefined, ordinal - 10]);
    stream.cut();
  });

  it('says that its key cannot be verified when account could not say so for 5 s', async () => {
    const stream = await open();
    booted.account.setDown(true);
    booted.account.setSilent(true);
    booted.account.breakStreams();
    offsetMs = 6_000;
    await stream.ended;
    expect(endOf(stream)).toMatchObject({ code: 'key_unverified' });
  });
});
