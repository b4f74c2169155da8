import { once } from 'node:events';
import { followEach, followHealth, WHOLE_PROCESS } from '../src';
import { closeAll, connect, deferred, PEER, startEcho, until } from './harness';
import { echoDefinition } from './echo-service';

afterEach(closeAll);

/** Process that returns its name. */
async function startNamed(name: string, address?: string) {
  const { server } = await startEcho(
    {
      echo: async () => ({ text: name }),
      async *repeat(_request, { signal }) {
        yield { text: name };
        await once(signal, 'abort');
      },
    },
    address === undefined ? {} : { address },
  );
  return server;
}

const portOf = (address: string): string => address.split(':').at(-1) ?? '';

describe('calls to several processes', () => {
  test('take turns, and go on with those that are left when one is gone, and with that again when it is back', async () => {
    const [one, other] = [await startNamed('one'), await startNamed('other')];
    const { call } = connect('', { address: [one.address, other.address], idempotent: new Set() });
    const answers = async (total: number): Promise<string[]> => {
      const heard: string[] = [];
      for (let index = 0; index < total; index += 1) heard.push((await call.echo({ text: '' })).text);
      return heard;
    };
    await until('both are connected', async () => new Set(await answers(2)).size === 2);
    const heard = await answers(20);
    expect(heard.filter((name) => name === 'one')).toHaveLength(10);
    await one.close();
    // A lost connection is detected a moment after the server stops.
    await until('the other takes the calls', async () => (await answers(2).catch(() => [])).every((name) => name === 'other'));
    expect(new Set(await answers(20))).toEqual(new Set(['other']));
    await startNamed('one again', one.address);
    await until('it is back', async () => (await answers(2)).includes('one again'));
  });

  test('a call that may be repeated is answered by another process when its own is gone', async () => {
    const [one, other] = [await startNamed('one'), await startNamed('other')];
    const { call } = connect('', { address: [one.address, other.address] });
    await until('both are connected', async () => (await call.echo({ text: '' })).text === 'one');
    await one.close();
    for (let index = 0; index < 10; index += 1) expect((await call.echo({ text: '' })).text).toBe('other');
  });

  test('that hang at one process cost their time once, then it is left alone for a while', async () => {
    const hung = await startEcho({ echo: () => new Promise<never>(() => undefined) });
    const other = await startNamed('other');
    const { call } = connect('', { address: [hung.server.address, other.address], deadlineMs: 300, idempotent: new Set() });
    const outcomes: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const outcome = await call.echo({ text: '' }).then(
        ({ text }) => text,
        ({ code }: { code: string }) => code,
      );
      outcomes.push(outcome);
    }
    expect(outcomes.filter((outcome) => outcome !== 'other')).toEqual(['DEADLINE_EXCEEDED']);
  });

  test('fail as those to one process do when all are away', async () => {
    const { call } = connect('', { address: ['127.0.0.1:1', '127.0.0.1:2'], idempotent: new Set() });
    await expect(call.echo({ text: '' })).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'upstream_unavailable' });
  });
});

describe('streams of every process', () => {
  /** Follows these addresses and records events in order. */
  function follow(addresses: readonly string[], lookUp?: (name: string) => Promise<readonly string[]>) {
    const reported: string[] = [];
    const followed = followEach({
      definition: echoDefinition,
      addresses,
      peer: PEER,
      open: (call, signal) => call.repeat({ text: '' }, { signal }),
      onMessage: ({ text }) => void reported.push(text),
      onDown: (_error, from) => void reported.push(`down ${from}`),
      onGone: (from) => void reported.push(`gone ${from}`),
      maxDelayMs: 100,
      lookupEveryMs: 20,
      ...(lookUp === undefined ? {} : { lookUp }),
    });
    return { reported, followed };
  }

  test('are followed independently: one breaks and reconnects, the other continues', async () => {
    const [one, other] = [await startNamed('one'), await startNamed('other')];
    const { reported, followed } = follow([one.address, other.address]);
    await until('both streams', () => reported.length === 2);
    await one.close();
    await until('one is down', () => reported.includes(`down ${one.address}`));
    expect(followed.isUp()).toBe(true);
    await startNamed('one again', one.address);
    await until('one is back', () => reported.includes('one again'));
    expect(reported.slice(2)).toEqual([`down ${one.address}`, 'one again']);
    await followed.close();
    expect(followed.isUp()).toBe(false);
  });

  test('a name stands for every address that it has; what it gains is followed, and what it loses is let go once it is down', async () => {
    const first = await startNamed('first');
    const port = portOf(first.address);
    const addresses = ['127.0.0.1'];
    const requested = deferred<void>();
    const { reported, followed } = follow([`labeling.internal:${port}`], async (name) => {
      expect(name).toBe('labeling.internal');
      if (addresses.includes('127.0.0.2')) requested.resolve();
      return [...addresses];
    });
    await until('the first stream', () => reported.includes('first'));
    await startNamed('second', `127.0.0.2:${port}`);
    addresses.push('127.0.0.2');
    await until('the second stream', () => reported.includes('second'));
    addresses.shift();
    await requested.promise;
    expect(reported).toEqual(['first', 'second']);
    await first.close();
    await until('the first is let go', () => reported.includes(`gone 127.0.0.1:${port}`));
    expect(reported).toEqual(['first', 'second', `down 127.0.0.1:${port}`, `gone 127.0.0.1:${port}`]);
    await followed.close();
  });

  test('an unknown name is reported once, and followed when it appears; one that disappears later changes nothing', async () => {
    const server = await startNamed('late');
    const port = portOf(server.address);
    let isKnown = false;
    let turns = 0;
    const { reported, followed } = follow([`late.internal:${port}`], async () => {
      turns += 1;
      if (!isKnown) throw new Error('ENOTFOUND');
      return ['127.0.0.1'];
    });
    await until('some turns', () => turns > 3);
    expect(reported).toEqual([`down late.internal:${port}`]);
    isKnown = true;
    await until('its stream', () => reported.includes('late'));
    isKnown = false;
    const before = turns;
    await until('some turns more', () => turns > before + 3);
    expect(reported).toEqual([`down late.internal:${port}`, 'late']);
    expect(followed.isUp()).toBe(true);
    await followed.close();
  });
});

describe('the health of every process', () => {
  test('is the worst of all, and any change is notified', async () => {
    const [one, other] = [await startEcho(), await startEcho()];
    const health = followHealth({ addresses: [one.server.address, other.server.address], peer: PEER });
    let changes = 0;
    const stop = health.onChange(() => (changes += 1));
    const isWell = (): Promise<boolean> =>
      health.check(5_000).then(
        () => true,
        () => false,
      );
    await until('both serve', isWell);
    await until('both are followed', () => changes >= 2);
    const before = changes;
    other.health.set(WHOLE_PROCESS, false);
    await until('the change is notified', () => changes > before);
    expect(await isWell()).toBe(false);
    await expect(health.check(5_000)).rejects.toThrow('NOT_SERVING');
    await health.checkAny(5_000);
    other.health.set(WHOLE_PROCESS, true);
    await until('both serve again', isWell);
    await one.server.close();
    await until('one is away', async () => !(await isWell()));
    await health.checkAny(5_000);
    other.health.set(WHOLE_PROCESS, false);
    await expect(health.checkAny(5_000)).rejects.toThrow();
    stop();
    await health.close();
  });

  test('is unknown if a name has no address', async () => {
    const health = followHealth({ addresses: ['unknown.internal:1'], peer: PEER, lookUp: async () => [] });
    await expect(health.check(1_000)).rejects.toThrow('no process is known');
    await expect(health.checkAny(1_000)).rejects.toThrow();
    await health.close();
  });
});
